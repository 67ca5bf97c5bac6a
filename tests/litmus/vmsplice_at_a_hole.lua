-- SPDX-License-Identifier: MIT
-- Pages before a hole are queued and counted; a call that begins at the hole faults.
local p = pipe{nonblock = true}
local b = buffer{size = "256K", name = "b"}
expect(vmsplice(p.w, b:at(253952, 16384)), 8192)
expect(vmsplice(p.w, b:at(262144, 10)), "EFAULT")
expect(vmsplice(p.w, b:at(262134, 20)), 10)
expect(ring(p), "head=3 tail=0 | 0:b[62]@0+4096 | 1:b[63]@0+4096 | 2:b[63]@4086+10")
expect(page(b, 63).refcount, 3)
