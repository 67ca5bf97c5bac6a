-- SPDX-License-Identifier: MIT
-- hugetlbfs has no zero page: what was never written is a real page of 2 MiB, mapped and zero, with all references on its head.
local p = pipe{slots = 32}
local h = buffer{size = "2M", hugetlb = "2M", touched = false, name = "h"}
expect(page(h, 0).present, false)
expect(vmsplice(p.w, h:at(5 * 4096, 20 * 4096)), 20 * 4096)
expect(page(h, 0).hugetlb, true)
expect(page(h, 0).huge, true)
expect(page(h, 0).zero, false)
expect(page(h, 0).head, true)
expect(page(h, 511).tail, true)
expect(page(h, 0).order, 9)
expect(page(h, 0).mapcount, 1)
expect(page(h, 300).refcount, 21)
expect(walk(h, 0):match("-> .*"), "-> 2M")
expect(entry(h, 0), "P US A PSE NX")
expect(ring(p):match("0:h%[5%]@0%+4096 | 1:h%[6%]@0%+4096") ~= nil, true)
write_bytes(h, 5 * 4096, "Z")          -- mapped once: no copy, whatever the pipe holds
expect(entry(h, 0), "P RW US A D PSE NX")
local d = buffer("4K")
expect(read(p.r, d, 1), 1)
expect(bytes(d, 0, 1), "Z")
