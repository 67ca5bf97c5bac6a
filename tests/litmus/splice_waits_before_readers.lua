-- SPDX-License-Identifier: MIT
-- Who splices or vmsplices waits at the front of the queue, not exclusively: it gets the byte.
local p = pipe()
local b, d = buffer("4K"), buffer("4K")
local r1 = task("reader 1", function() return read(p.r, 1) end)
local r2 = task("reader 2", function() return read(p.r, 1) end)
local v = task("vmsplice", function() return vmsplice(p.r, d:at(0, 1)) end)
expect(run(r1), "blocked")
expect(run(r2), "blocked")
expect(run(v), "blocked")
expect(write(p.w, b, 1), 1)
expect(run(v), 1)
expect(run(r1), "blocked") -- woken in vain: it queues up again, behind reader 2
expect(write(p.w, b, 1), 1)
expect(run(r2), 1)
expect(run(r1), "blocked")
expect(write(p.w, b, 1), 1)
expect(run(r1), 1)
