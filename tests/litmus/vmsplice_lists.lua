-- SPDX-License-Identifier: MIT
-- Pieces are never joined, though they lie side by side; a bad second piece ends the call.
local p = pipe{nonblock = true}
local b = buffer{size = "8K", name = "b"}
expect(vmsplice(p.w, {b:at(0, 100), b:at(8192, 50), b:at(200, 100)}), 100)
expect(vmsplice(p.w, {b:at(0, 10), b:at(10, 10), b:at(20, 10)}), 30)
expect(ring(p), "head=4 tail=0 | 0:b[0]@0+100 | 1:b[0]@0+10 | 2:b[0]@10+10 | 3:b[0]@20+10")
expect(page(b, 0).refcount, 5)
expect(vmsplice(p.w, {b:at(8192, 50), b:at(0, 10)}), "EFAULT")
