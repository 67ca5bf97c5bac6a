-- SPDX-License-Identifier: MIT
-- Protecting memory changes nothing about its page in the pipe.
local p, b, d = pipe{nonblock = true}, buffer("4K"), buffer("4K")
write_bytes(b, 0, "Q")
expect(vmsplice(p.w, b:at(0, 10)), 10)
expect(mprotect(b, "none"), 0)
expect(ring(p), "head=1 tail=0 | 0:b1[0]@0+10")
expect(read(p.r, d), 10)
expect(bytes(d, 0, 1), "Q")
