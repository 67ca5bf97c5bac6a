-- SPDX-License-Identifier: MIT
-- The one kind of memory whose store asks how often a page is mapped and not who else has it: the child's pipe shows what the
-- parent wrote after the child had unmapped the page. Known, and left so.
local p, go, b = pipe(), pipe(), buffer{size = "2M", hugetlb = "2M"}
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
expect(s, "N")
