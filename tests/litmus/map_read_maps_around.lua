-- SPDX-License-Identifier: MIT
-- A read of a mapped file maps what the page cache has within the 64 KiB around it, as far as the area and the file go.
local f = file{size = 40 * 4096}
local m = buffer{size = 30 * 4096, file = f, from = 4 * 4096}
expect(page(m, 0).present, false)
bytes(m, 20 * 4096, 1)
local n, first = 0, nil
for i = 0, 29 do
  if page(m, i).present then
    n, first = n + 1, first or i
  end
end
expect(n >= 4 and n <= 16, true)
expect(page(m, 20).refcount, 2)
expect(page(m, 20).mapcount, 1)
expect(page(m, first).mapcount, 1)
expect(entry(m, 20 * 4096), "P US A NX")
expect(entry(m, first * 4096), "P US A NX")
-- A store maps one page.
local s = buffer{size = 30 * 4096, file = f}
write_bytes(s, 20 * 4096, "x")
expect(page(s, 20).present, true)
expect(page(s, 19).present, false)
expect(page(s, 20).refcount, 1)
expect(entry(s, 20 * 4096), "P RW US A D NX")
