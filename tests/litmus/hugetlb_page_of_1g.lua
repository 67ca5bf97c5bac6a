-- SPDX-License-Identifier: MIT
-- A page of 1 GiB: the walk ends at the pud, and a slot far inside it is a reference on its head.
local p = pipe()
local g = buffer{size = "1G", hugetlb = "1G", name = "g"}
expect(walk(g, 12345678):match("pud%[%d+%] %-> 1G") ~= nil, true)
expect(page(g, 0).order, 18)
expect(page(g, 200000).tail, true)
expect(page(g, 0).refcount, 1)
expect(vmsplice(p.w, g:at(200000 * 4096, 8192)), 8192)
expect(page(g, 0).refcount, 3)
expect(ring(p), "head=2 tail=0 | 0:g[200000]@0+4096 | 1:g[200001]@0+4096")
