-- SPDX-License-Identifier: MIT
-- vmsplice into a full pipe really sleeps, O_NONBLOCK or not; it wants SPLICE_F_NONBLOCK.
local p = pipe{nonblock = true}
local b = buffer("64K")
expect(write(p.w, b, 65536), 65536)
local v = task("vmsplice", function() return vmsplice(p.w, b:at(0, 8192)) end)
expect(run(v), "blocked")
expect(read(p.r, 4096), 4096)
expect(run(v), 4096) -- one slot was free: it does not wait for another
