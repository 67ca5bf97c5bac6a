-- SPDX-License-Identifier: MIT
-- MADV_DONTNEED drops hugetlb pages that it covers whole; one that it begins inside of it refuses.
kernel{min = "5.18"}
local b = buffer{size = "4M", hugetlb = "2M"}
expect(madvise(b:at(4096), "MADV_DONTNEED"), "EINVAL")
expect(madvise(b, "MADV_COLD"), "EINVAL")
expect(madvise(b:at(0, (2 << 20) + 4096), "MADV_DONTNEED"), 0)
expect(page(b, 0).present, false)
expect(page(b, 512).present, true)
