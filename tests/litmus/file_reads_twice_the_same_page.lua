-- SPDX-License-Identifier: MIT
-- Two splices of one part of a file queue the same page twice.
local p, f = pipe{nonblock = true}, file{size = 8192}
expect(splice(f, 10, p.w, nil, 10), 10)
expect(splice(f, 10, p.w, nil, 20), 20)
expect(ring(p), "head=2 tail=0 | 0:f1[0]@10+10 | 1:f1[0]@10+20")
