-- SPDX-License-Identifier: MIT
-- A huge page of which one page is unmapped is mapped page by page, with a reference each.
local b = buffer{size = "2M", huge = true}
expect(page(b, 0).huge, true)
expect(munmap(b:at(4096, 4096)), 0)
expect(page(b, 1).present, false)
expect(page(b, 0).huge, false)
expect(page(b, 0).order, 9)
expect(page(b, 0).refcount, 511)
