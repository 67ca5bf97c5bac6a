-- SPDX-License-Identifier: MIT
-- A huge page is one folio: the slots point at its sub-pages, every reference is on the head.
local p = pipe()
local b = buffer{size="2M", huge=true, name="b"}
expect(vmsplice(p.w, b:at(5 * 4096, 12288), ""), 12288)
expect(ring(p), "head=3 tail=0 | 0:b[5]@0+4096 | 1:b[6]@0+4096 | 2:b[7]@0+4096")
expect(page(b, 0).head, true)
expect(page(b, 5).tail, true)
expect(page(b, 5).order, 9)
expect(page(b, 5).refcount, page(b, 0).refcount)
