-- SPDX-License-Identifier: MIT
-- A slot that vmsplice filled takes no more, and neither does vmsplice append to one.
local p = pipe{nonblock = true}
local b = buffer{size = "16K", name = "b"}
expect(vmsplice(p.w, b:at(0, 10)), 10)
expect(write(p.w, b, 5), 5)
expect(vmsplice(p.w, b:at(0, 10)), 10)
expect(ring(p), "head=3 tail=0 | 0:b[0]@0+10 | 1:k1@0+5 M | 2:b[0]@0+10")
expect(page(b, 0).refcount, 3)
expect(fionread(p.r), 25)
