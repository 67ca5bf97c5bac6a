-- SPDX-License-Identifier: MIT
-- Pages in a pipe outlive their mapping: MADV_DONTNEED and munmap take nothing from it.
local p, b, d = pipe(), buffer("8K"), buffer("8K")
write_bytes(b, 0, "Q")
write_bytes(b, 4096, "R")
expect(vmsplice(p.w, b), 8192)
expect(madvise(b:at(0, 4096), "MADV_DONTNEED"), 0)
write_bytes(b, 0, "x")
expect(munmap(b:at(4096, 4096)), 0)
expect(ring(p), "head=2 tail=0 | 0:k1@0+4096 | 1:k2@0+4096")
expect(read(p.r, d), 8192)
expect(bytes(d, 0, 1), "Q")
expect(bytes(d, 4096, 1), "R")
expect(bytes(b, 0, 1), "x")
