-- SPDX-License-Identifier: MIT
-- The CPU sets the accessed bit of an entry that it walks to. vmsplice looks pages up in software and leaves it as it was.
local p, b = pipe(), buffer("8K")
expect(entry(b, 0), "P RW US A D NX")
expect(madvise(b, "MADV_COLD"), 0)
expect(entry(b, 0), "P RW US D NX")
expect(vmsplice(p.w, b), 8192)
expect(entry(b, 0), "P RW US D NX")
expect(write(p.w, b, 1), 1)             -- a copy: by the address
expect(entry(b, 0), "P RW US A D NX")
expect(entry(b, 4096), "P RW US D NX")
