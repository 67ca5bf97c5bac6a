-- SPDX-License-Identifier: MIT
-- A write never goes into a page of a file: it takes a page of its own.
local p, f = pipe{nonblock = true}, file{size = 41060}
expect(splice(f, 0, p.w, nil, 1), 1)
expect(write(p.w, "x"), 1)
expect(ring(p), "head=2 tail=0 | 0:f1[0]@0+1 | 1:k1@0+1 M")
