-- SPDX-License-Identifier: MIT
-- MADV_DONTNEED of a private file mapping drops the copies: the next look finds the file again.
local f = file{size = 4096}
local m = buffer{size = "4K", file = f}
local old = bytes(m, 0, 2)
write_bytes(m, 0, "mine")
expect(bytes(m, 0, 4), "mine")
expect(madvise(m, "MADV_DONTNEED"), 0)
expect(page(m, 0).present, false)
expect(bytes(m, 0, 2), old)
