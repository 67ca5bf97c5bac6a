-- SPDX-License-Identifier: MIT
-- The bits of an entry for a small page, a huge one, and after fork(), mprotect() and a store.
local go, b, h = pipe(), buffer("4K"), buffer{size = "2M", huge = true}
expect(entry(b, 0), "P RW US A D NX")
expect(entry(h, 0), "P RW US A D PSE NX")
local t = fork(function() read(go.r, 1) end)
expect(run(t), "blocked")
expect(entry(b, 0), "P US A D NX")      -- both may read, nobody may write
expect(entry(h, 0), "P US A D PSE NX")
expect(page(b, 0).mapcount, 2)
write_bytes(b, 0, "x")
expect(entry(b, 0), "P RW US A D NX")
expect(page(b, 0).mapcount, 1)
expect(write(go.w, "x"), 1)
run(t)
expect(mprotect(b, "read"), 0)
expect(entry(b, 0), "P US A D NX")
expect(mprotect(b, "none"), 0)
expect(entry(b, 0), "A D PROTNONE")     -- not present for the CPU; the page stays
expect(mprotect(b, "rw"), 0)
expect(entry(b, 0), "P RW US A D NX")
