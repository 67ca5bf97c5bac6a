-- SPDX-License-Identifier: MIT
-- The zero page is mapped special and read-only, holds no reference for its mapping and one for each slot.
local p, b = pipe(), buffer{size = "8K", touched = false}
expect(vmsplice(p.w, b:at(0, 4096)), 4096)
expect(entry(b, 0), "P US A SPECIAL NX")
expect(entry(b, 4096), "")
expect(page(b, 0).mapcount, 0)
local one = page(b, 0).refcount
expect(vmsplice(p.w, b:at(0, 4096)), 4096)
expect(page(b, 0).refcount - one, 1)
write_bytes(b, 0, "x")
expect(entry(b, 0), "P RW US A D NX")
