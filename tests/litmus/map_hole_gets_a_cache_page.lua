-- SPDX-License-Identifier: MIT
-- Looking at a hole by way of a mapping fills it: the page is the file's from then on, zeroes.
local p, f, b = pipe{nonblock = true}, file{size = "16K", cached = false}, buffer("16K")
local m = buffer{size = "16K", file = f}
expect(vmsplice(p.w, m:at(4096, 4096)), 4096)
expect(ring(p), "head=1 tail=0 | 0:f1[1]@0+4096")
expect(page(m, 0).present, false)
expect(splice(f, 4096, p.w, nil, 4096), 4096)
expect(ring(p), "head=2 tail=0 | 0:f1[1]@0+4096 | 1:f1[1]@0+4096")
expect(page(m, 1).refcount, 4)
expect(read(p.r, b), 8192)
expect(bytes(b, 0, 1), "\0")
expect(page(m, 1).refcount, 2)
