-- SPDX-License-Identifier: MIT
-- A write of whole pages has no odd bytes: it is not merged however much room there is.
local p = pipe{nonblock = true}
local b = buffer("16K")
expect(write(p.w, b, 100), 100)
expect(write(p.w, b, 8192), 8192)
expect(ring(p), "head=3 tail=0 | 0:k1@0+100 M | 1:k2@0+4096 M | 2:k3@0+4096 M")
