-- SPDX-License-Identifier: MIT
-- The bits of an entry for a small page, a huge one, and after fork(), mprotect() and a store.
local go, b, h = pipe(), buffer("4K"), buffer{size = "2M", huge = true}
expect(entry(b, 0), "P RW US A D NX")
expect(entry(h, 0), "P RW US A D PSE NX")
-- The kernel clears A again when it looks for memory that nobody uses, so it is told only right after a use.
local function rest(m) return (entry(m, 0):gsub("%f[%u]A ", "")) end
local t = fork(function() read(go.r, 1) end)
expect(run(t), "blocked")
expect(rest(b), "P US D NX")            -- both may read, nobody may write
expect(rest(h), "P US D PSE NX")
expect(page(b, 0).mapcount, 2)
write_bytes(b, 0, "x")
expect(entry(b, 0), "P RW US A D NX")
expect(page(b, 0).mapcount, 1)
expect(write(go.w, "x"), 1)
run(t)
expect(mprotect(b, "read"), 0)
expect(rest(b), "P US D NX")
expect(mprotect(b, "none"), 0)
expect(rest(b), "D PROTNONE")           -- not present for the CPU; the page stays
expect(mprotect(b, "rw"), 0)
write_bytes(b, 0, "y")                  -- up to 5.19 writing comes back with a store alone
expect(rest(b), "P RW US D NX")
