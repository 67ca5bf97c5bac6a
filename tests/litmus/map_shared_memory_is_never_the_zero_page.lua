-- SPDX-License-Identifier: MIT
-- Untouched shared memory that is spliced gets pages of its own; the reader sees what is stored later.
local p, b = pipe{nonblock = true}, buffer("8K")
local m = buffer{size = "8K", shared = true, touched = false, name = "m"}
expect(vmsplice(p.w, m), 8192)
expect(ring(p), "head=2 tail=0 | 0:m[0]@0+4096 | 1:m[1]@0+4096")
expect(page(m, 0).zero, false)
expect(entry(m, 0), "P RW US A NX")
write_bytes(m, 0, "late")
expect(read(p.r, b), 8192)
expect(bytes(b, 0, 4), "late")
