-- SPDX-License-Identifier: MIT
-- A touch after MADV_DONTNEED brings a page, and the pipe keeps the one it has.
local p, b = pipe{nonblock = true}, buffer("4K")
expect(vmsplice(p.w, b), 4096)
expect(madvise(b, "MADV_DONTNEED"), 0)
expect(page(b, 0).present, false)
expect(touch(b), 0)
expect(page(b, 0).present, true)
expect(vmsplice(p.w, b), 4096)
expect(ring(p), "head=2 tail=0 | 0:k1@0+4096 | 1:b1[0]@0+4096")
