-- SPDX-License-Identifier: MIT
local bug = kernel{version = "5.17", features = "cow-thp"}
title("The same leak by way of a huge page, for two years more")
watch("The store into a 2 MiB page that one process maps: its mapcount is 1, its refcount is not.")
question("The fix for 4 KiB pages came with 5.9. Why was this one still open in 5.17?")

local p, go = pipe(), pipe()
local b = buffer{size = "2M", huge = true, name = "parent"}
write_bytes(b, 0, "S")

local child = fork(function()
    local n, d = vmsplice(p.w, b:at(0, 4096)), buffer("4K")
    munmap(b)
    read(go.r, 1)
    read(p.r, d)
    return n, bytes(d, 0, 1)
end)
expect(run(child), "blocked")
write_bytes(b, 0, "N")
expect(write(go.w, "x"), 1)
local n, seen = run(child)
expect(n, 4096)
expect(seen, bug and "N" or "S")
