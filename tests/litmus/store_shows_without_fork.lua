-- SPDX-License-Identifier: MIT
-- Without a fork a store goes into the page that the pipe holds.
local p, b, d = pipe(), buffer("4K"), buffer("4K")
write_bytes(b, 0, "old")
expect(vmsplice(p.w, b:at(0, 3)), 3)
write_bytes(b, 0, "new")
expect(ring(p), "head=1 tail=0 | 0:b1[0]@0+3")
expect(read(p.r, d), 3)
expect(bytes(d, 0, 3), "new")
