-- SPDX-License-Identifier: MIT
-- After a fork the one who stores gets a page of its own: the pipe keeps the old one.
local p, b, d = pipe{nonblock = true}, buffer("4K"), buffer("4K")
write_bytes(b, 0, "A")
expect(vmsplice(p.w, b:at(0, 4)), 4)
local t = fork(function() return 0 end)
write_bytes(b, 0, "B")
expect(ring(p), "head=1 tail=0 | 0:k1@0+4")
expect(read(p.r, d), 4)
expect(bytes(d, 0, 1), "A")
expect(bytes(b, 0, 1), "B")
