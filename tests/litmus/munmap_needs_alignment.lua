-- SPDX-License-Identifier: MIT
-- munmap, mprotect and madvise take whole pages.
local b = buffer("8K")
expect(munmap(b:at(100, 10)), "EINVAL")
expect(munmap(b:at(0, 0)), "EINVAL")
expect(mprotect(b:at(100, 10), "read"), "EINVAL")
expect(madvise(b:at(100, 10), "MADV_DONTNEED"), "EINVAL")
expect(mprotect(b:at(0, 1), "read"), 0)
expect(write_bytes(b, 4095, "x"), "EFAULT")
expect(write_bytes(b, 4096, "x"), 1)
