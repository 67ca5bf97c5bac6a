-- SPDX-License-Identifier: MIT
-- The part split off loses the gift flag; the rest keeps it, and takes it along when it moves.
local p, q, b = pipe{nonblock = true}, pipe{nonblock = true}, buffer("4K")
expect(vmsplice(p.w, b, "SPLICE_F_GIFT"), 4096)
expect(splice(p.r, nil, q.w, nil, 1000), 1000)
expect(ring(p), "head=1 tail=0 | 0:b1[0]@1000+3096 G")
expect(ring(q), "head=1 tail=0 | 0:b1[0]@0+1000")
expect(splice(p.r, nil, q.w, nil, 4096), 3096)
expect(ring(q), "head=2 tail=0 | 0:b1[0]@0+1000 | 1:b1[0]@1000+3096 G")
