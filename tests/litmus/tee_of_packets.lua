-- SPDX-License-Identifier: MIT
-- Packets stay packets when they are split, moved or copied.
local p, q, b = pipe{nonblock = true, packet = true}, pipe{nonblock = true}, buffer("4K")
expect(write(p.w, b, 100), 100)
expect(write(p.w, b, 100), 100)
expect(tee(p.r, q.w, 50), 50)
expect(ring(q), "head=1 tail=0 | 0:k1@0+50 P")
expect(splice(p.r, nil, q.w, nil, 150), 150)
expect(ring(p), "head=2 tail=1 | 1:k1@50+50 P")
expect(ring(q), "head=3 tail=0 | 0:k1@0+50 P | 1:k1@0+100 P | 2:k2@0+50 P")
expect(read(q.r, 10), 10)
expect(ring(q), "head=3 tail=1 | 1:k1@0+100 P | 2:k2@0+50 P")
