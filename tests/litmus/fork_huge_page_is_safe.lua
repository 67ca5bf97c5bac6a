-- SPDX-License-Identifier: MIT
-- The same with a huge page: since 5.18 the parent's store takes a page of its own.
kernel{min = "5.18"}
local p, go, b = pipe(), pipe(), buffer{size = "2M", huge = true}
write_bytes(b, 0, "S")
local t = fork(function()
    local n, d = vmsplice(p.w, b:at(0, 4096)), buffer("4K")
    munmap(b)
    read(go.r, 1)
    read(p.r, d)
    return n, bytes(d, 0, 1)
end)
expect(run(t), "blocked")
write_bytes(b, 0, "N")
expect(write(go.w, "x"), 1)
local n, s = run(t)
expect(n, 4096)
expect(s, "S")
