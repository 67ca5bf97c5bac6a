-- SPDX-License-Identifier: MIT
-- The pieces of a writev are one stream of bytes: pages are filled across them.
local p = pipe{nonblock = true}
local b = buffer("16K")
expect(writev(p.w, {b:at(0, 1000), b:at(1000, 0), b:at(1000, 5000)}), 6000)
expect(ring(p), "head=2 tail=0 | 0:k1@0+4096 M | 1:k2@0+1904 M")
expect(writev(p.w, {}), 0)
expect(writev(p.w, {b:at(0, 100), b:at(0, 4096)}), 4196)
expect(ring(p), "head=3 tail=0 | 0:k1@0+4096 M | 1:k2@0+2004 M | 2:k3@0+4096 M")
