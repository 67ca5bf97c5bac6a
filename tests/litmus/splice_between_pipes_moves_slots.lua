-- SPDX-License-Identifier: MIT
-- Between pipes whole slots move, and a part is split off: the moved one can be merged into, the copy cannot.
local p, q, b = pipe{nonblock = true}, pipe{nonblock = true}, buffer("8K")
expect(write(p.w, b, 5000), 5000)
expect(splice(p.r, nil, q.w, nil, 4500), 4500)
expect(ring(p), "head=2 tail=1 | 1:k1@404+500 M")
expect(ring(q), "head=2 tail=0 | 0:k1@0+4096 M | 1:k2@0+404")
expect(write(q.w, "x"), 1)
expect(write(p.w, "x"), 1)
expect(fionread(p.r), 501)
expect(ring(p), "head=2 tail=1 | 1:k1@404+501 M")
expect(ring(q), "head=3 tail=0 | 0:k1@0+4096 M | 1:k2@0+404 | 2:k3@0+1 M")
