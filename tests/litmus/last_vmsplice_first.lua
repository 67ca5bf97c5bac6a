-- SPDX-License-Identifier: MIT
-- Writers by vmsplice wait at the front, the last to come first; the winner takes what fits and no more.
local p = pipe()
local b, m = buffer("64K"), buffer("16K")
expect(write(p.w, b, 65536), 65536)
local t1 = task("vmsplice 1", function() return vmsplice(p.w, m:at(0, 4096)) end)
local t2 = task("writer", function() return write(p.w, b, 4096) end)
local t3 = task("vmsplice 2", function() return vmsplice(p.w, m:at(2464, 4096)) end)
expect(run(t1), "blocked")
expect(run(t2), "blocked")
expect(run(t3), "blocked")
expect(read(p.r, 4096), 4096)
expect(run(t3), 1632) -- up to the end of its first page
expect(run(t1), "blocked")
expect(run(t2), "blocked")
expect(fionread(p.r), 63072)
