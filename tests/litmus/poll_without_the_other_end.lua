-- SPDX-License-Identifier: MIT
-- HUP for a reader without writers; ERR for a writer without readers, with OUT while a slot is free.
local b = buffer("64K")
local p = pipe{nonblock = true}
close(p.w)
expect(poll(p.r), "HUP")
local q = pipe{nonblock = true}
expect(write(q.w, b), 65536)
close(q.r)
expect(poll(q.w), "ERR")
local e = pipe{nonblock = true}
close(e.r)
expect(poll(e.w), "OUT|ERR")
