-- SPDX-License-Identifier: MIT
-- Of those who wait for space the vmsplice that came last goes first, and takes one page piece of what it wanted.
local p, b = pipe(), buffer("64K")
expect(write(p.w, b, 65536), 65536)
local t1 = task("t1", function() return vmsplice(p.w, b:at(0, 4096)) end)
local t2 = task("t2", function() return write(p.w, b, 4096) end)
local t3 = task("t3", function() return vmsplice(p.w, b:at(2464, 4096)) end)
expect(run(t1), "blocked")
expect(run(t2), "blocked")
expect(run(t3), "blocked")
expect(read(p.r, 4096), 4096)
expect(run(t3), 1632)
expect(run(t1), "blocked")
expect(run(t2), "blocked")
