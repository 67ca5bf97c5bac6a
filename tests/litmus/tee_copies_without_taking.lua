-- SPDX-License-Identifier: MIT
-- tee queues the same pages once more, without the flags to merge and to give away, and begins at the start each time.
local p, q, b = pipe{nonblock = true}, pipe{nonblock = true}, buffer("4K")
expect(write(p.w, b, 100), 100)
expect(vmsplice(p.w, b, "SPLICE_F_GIFT"), 4096)
expect(write(p.w, b, 200), 200)
expect(tee(p.r, q.w, 1048576), 4396)
expect(ring(p), "head=3 tail=0 | 0:k1@0+100 M | 1:b1[0]@0+4096 G | 2:k2@0+200 M")
expect(ring(q), "head=3 tail=0 | 0:k1@0+100 | 1:b1[0]@0+4096 | 2:k2@0+200")
expect(tee(p.r, q.w, 150), 150)
expect(ring(q), "head=5 tail=0 | 0:k1@0+100 | 1:b1[0]@0+4096 | 2:k2@0+200 | 3:k1@0+100 | 4:b1[0]@0+50")
expect(fionread(q.r), 4546)
