-- SPDX-License-Identifier: MIT
-- Up to 6.14 a write that faults after whole pages, or after a merge, leaves a slot of length 0 behind them.
kernel{min = "5.10", max = "6.14"}
local p, b = pipe{nonblock = true}, buffer("8K")
munmap(b:at(4096, 4096))
expect(write(p.w, b, 8192), 4096)
expect(ring(p), "head=2 tail=0 | 0:k1@0+4096 M | 1:k2@0+0 M")
expect(read(p.r, 10000), 4096) -- swallows the empty slot too
expect(ring(p), "head=2 tail=2")
expect(write(p.w, b, 10), 10)
expect(write(p.w, b:at(3796, 4396)), 300)
expect(ring(p), "head=4 tail=2 | 2:k1@0+310 M | 3:k2@0+0 M")
expect(tmp_pages(p), 0)
local n = null()
expect(splice(p.r, nil, n, nil, 310), 310)
expect(ring(p), "head=4 tail=3 | 3:k1@0+0 M")
expect(poll(p.r), "IN")
expect(splice(p.r, nil, n, nil, 1), "EAGAIN") -- eaten first
expect(ring(p), "head=4 tail=4")
