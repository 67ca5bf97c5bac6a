-- SPDX-License-Identifier: MIT
-- A page straddled costs a slot: 8192 bytes from offset 100 take three.
local p = pipe{nonblock = true}
local b = buffer{size = "16K", name = "b"}
expect(vmsplice(p.w, b:at(100, 8192)), 8192)
expect(ring(p), "head=3 tail=0 | 0:b[0]@100+3996 | 1:b[1]@0+4096 | 2:b[2]@0+100")
expect(page(b, 0).refcount, 2)
expect(page(b, 3).refcount, 1)
expect(read(p.r, 3996), 3996)
expect(page(b, 0).refcount, 1)
