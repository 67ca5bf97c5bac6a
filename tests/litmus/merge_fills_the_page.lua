-- SPDX-License-Identifier: MIT
-- Short writes share one page until it is full to the last byte.
local p = pipe{nonblock = true}
local b = buffer("16K")
expect(write(p.w, b, 300), 300)
expect(ring(p), "head=1 tail=0 | 0:k1@0+300 M")
expect(write(p.w, b, 3796), 3796)
expect(ring(p), "head=1 tail=0 | 0:k1@0+4096 M")
expect(write(p.w, b, 1), 1)
expect(ring(p), "head=2 tail=0 | 0:k1@0+4096 M | 1:k2@0+1 M")
expect(fionread(p.r), 4097)
