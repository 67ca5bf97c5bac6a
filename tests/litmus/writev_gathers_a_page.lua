-- SPDX-License-Identifier: MIT
-- Pieces that are smaller than a page are gathered in one.
local p, b = pipe{nonblock = true}, buffer("16K")
expect(writev(p.w, {b:at(0, 1000), b:at(0, 0), b:at(0, 5000)}), 6000)
expect(ring(p), "head=2 tail=0 | 0:k1@0+4096 M | 1:k2@0+1904 M")
