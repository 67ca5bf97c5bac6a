-- SPDX-License-Identifier: MIT
-- A slot of length 0 between others goes by unseen when the pipe is written to a file; one behind them stays.
kernel{min = "5.15", max = "6.14"}
local p, b, f = pipe{nonblock = true}, buffer("8K"), file{size = 0}
munmap(b:at(4096, 4096))
expect(write(p.w, b, 8192), 4096)
expect(write(p.w, b, 4096), 4096)
expect(ring(p), "head=3 tail=0 | 0:k1@0+4096 M | 1:k2@0+0 M | 2:k3@0+4096 M")
expect(splice(p.r, nil, f, nil, 8192), 8192)
expect(ring(p), "head=3 tail=3")
expect(write(p.w, b, 8192), 4096)
expect(splice(p.r, nil, f, nil, 4096), 4096)
expect(ring(p), "head=5 tail=4 | 4:k1@0+0 M")
