-- SPDX-License-Identifier: MIT
-- SPLICE_F_GIFT marks the slots, aligned or not, and changes nothing else here.
local p = pipe{nonblock = true}
local b = buffer{size = "16K", name = "b"}
expect(vmsplice(p.w, b:at(1, 10), "SPLICE_F_GIFT"), 10)
expect(vmsplice(p.w, b:at(4096, 4096), "SPLICE_F_GIFT"), 4096)
expect(ring(p), "head=2 tail=0 | 0:b[0]@1+10 G | 1:b[1]@0+4096 G")
expect(fionread(p.r), 4106)
