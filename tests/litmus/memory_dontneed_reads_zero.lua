-- SPDX-License-Identifier: MIT
-- After MADV_DONTNEED a page reads as zeros.
local p, b, d = pipe(), buffer("4K"), buffer("4K")
write_bytes(b, 0, "Q")
expect(madvise(b, "MADV_DONTNEED"), 0)
expect(page(b, 0).present, false)
expect(write(p.w, b, 1), 1)
expect(read(p.r, d), 1)
expect(bytes(d, 0, 1), "\0")
