-- SPDX-License-Identifier: MIT
local bug = kernel{version = "5.10", features = "cow-4k"}
title("A child reads its parent's secret through a pipe (CVE-2020-29374)")
watch("The page's two counts at the parent's store: nobody else maps it, and the pipe still refers to it.")
question("The store has to decide whether to copy. Which of the two counts should it ask?")

local p, go = pipe(), pipe()
local b = buffer{size = "4K", name = "parent"}
write_bytes(b, 0, "S")

local child = fork(function()
    local n, d = vmsplice(p.w, b), buffer("4K") -- the pipe holds the page that both processes map
    munmap(b)                                   -- and now the parent alone maps it
    read(go.r, 1)
    read(p.r, d)
    return n, bytes(d, 0, 1)
end)
expect(run(child), "blocked")

-- Up to 5.7 the store counted mappings: one, its own, so no copy. Since 5.9 it counts references.
write_bytes(b, 0, "N")
expect(write(go.w, "x"), 1)
local n, seen = run(child)
expect(n, 4096)
expect(seen, bug and "N" or "S")
