-- SPDX-License-Identifier: MIT
-- Memory that may be written but not read, and was never touched, cannot be read in: vmsplice fails until a store brings the page.
local p, b = pipe{nonblock = true}, buffer("4K")
expect(madvise(b, "MADV_DONTNEED"), 0)
expect(mprotect(b, "write"), 0)
expect(vmsplice(p.w, b:at(0, 10)), "EFAULT")
expect(touch(b), 0)
expect(vmsplice(p.w, b:at(0, 10)), 10)
