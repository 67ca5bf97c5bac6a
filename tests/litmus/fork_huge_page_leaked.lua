-- SPDX-License-Identifier: MIT
-- Up to 5.17 a store into a huge page that one process maps went in place, whatever pipes held it: the child read it.
kernel{max = "5.17"}
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
expect(s, "N")
