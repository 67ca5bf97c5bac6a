-- SPDX-License-Identifier: MIT
-- A short write fills the tail of the newest page; a whole page takes a fresh slot.
local p = pipe()
local b = buffer("16K")
expect(write(p.w, b, 100), 100)
expect(write(p.w, b, 4096), 4096)
expect(fionread(p.r), 4196)
expect(ring(p), "head=2 tail=0 | 0:k1@0+100 M | 1:k2@0+4096 M")
expect(read(p.r, 50), 50)
expect(ring(p), "head=2 tail=0 | 0:k1@50+50 M | 1:k2@0+4096 M")
