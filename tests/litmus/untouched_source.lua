-- SPDX-License-Identifier: MIT
-- A write from memory that was never touched copies zeros from the zero page.
local p = pipe{nonblock = true}
local u, d = buffer{size = "8K", touched = false}, buffer("8K")
write_bytes(d, 5000, "x")
expect(write(p.w, u), 8192)
expect(ring(p), "head=2 tail=0 | 0:k1@0+4096 M | 1:k2@0+4096 M")
expect(page(u, 1).zero, true)
expect(read(p.r, d), 8192)
expect(bytes(d, 5000, 1), "\0")
