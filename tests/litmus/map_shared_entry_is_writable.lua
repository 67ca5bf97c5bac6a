-- SPDX-License-Identifier: MIT
-- In a shared mapping of a file in memory a read maps a page writable; the dirty bit comes with the first store, or at
-- once where the file's page is dirty already.
kernel{min = "6.15"}
local p, f = pipe{nonblock = true}, file{size = 8192, cached = false}
local m = buffer{size = "8K", file = f, shared = true}
expect(vmsplice(p.w, m:at(0, 10)), 10)
expect(entry(m, 0), "P RW US A NX")
expect(read(p.r, m:at(100, 10)), 10)
expect(entry(m, 0), "P RW US A D NX")
expect(vmsplice(p.w, m:at(4096, 10)), 10)
expect(mprotect(m, "read"), 0)
expect(entry(m, 4096), "P US A NX")
expect(mprotect(m, "rw"), 0)
expect(entry(m, 0), "P RW US A D NX")
expect(entry(m, 4096), "P RW US A NX")
local again = buffer{size = "8K", file = f, shared = true}
bytes(again, 0, 1)
expect(entry(again, 0), "P RW US A NX")
