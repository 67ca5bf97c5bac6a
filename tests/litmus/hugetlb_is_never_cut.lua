-- SPDX-License-Identifier: MIT
-- No call cuts a page of hugetlbfs in two: what begins or ends inside one is refused, and nothing is changed.
local b = buffer{size = "4M", hugetlb = "2M"}
expect(munmap(b:at(0, 4096)), "EINVAL")
expect(munmap(b:at(4096)), "EINVAL")
expect(mprotect(b:at(0, 4096), "read"), "EINVAL")
expect(mprotect(b:at("2M", 4096), "none"), "EINVAL")
expect(walk(b, 0):match("-> .*"), "-> 2M")
expect(munmap(b:at("2M")), 0)
expect(walk(b, 0):match("-> .*"), "-> 2M")
expect(page(b, 512).present, false)
