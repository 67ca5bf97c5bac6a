-- SPDX-License-Identifier: MIT
-- Emptied pages are kept as spare ones, two of them, and used first by the next write.
kernel{min = "6.15"}
local p = pipe{nonblock = true}
local b = buffer("16K")
expect(tmp_pages(p), 0)
expect(write(p.w, b, 16384), 16384)
expect(read(p.r, 4096), 4096)
expect(tmp_pages(p), 1)
expect(read(p.r, 4096), 4096)
expect(tmp_pages(p), 2)
expect(read(p.r, 8192), 8192)
expect(tmp_pages(p), 2)
expect(write(p.w, b, 1), 1)
expect(tmp_pages(p), 1)
expect(ring(p), "head=5 tail=4 | 4:k1@0+1 M")
