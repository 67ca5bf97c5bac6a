-- SPDX-License-Identifier: MIT
-- A writev counts as one write: the odd bytes of its sum merge, across its parts.
local p, b = pipe{nonblock = true}, buffer("16K")
expect(write(p.w, b, 100), 100)
expect(writev(p.w, {b:at(0, 60), b:at(0, 0), b:at(0, 40), b:at(0, 4096)}), 4196)
expect(ring(p), "head=2 tail=0 | 0:k1@0+200 M | 1:k2@0+4096 M")
