-- SPDX-License-Identifier: MIT
-- Memory made inaccessible can be neither written from, read into, nor spliced.
local p, b = pipe{nonblock = true}, buffer("4K")
expect(mprotect(b, "none"), 0)
expect(vmsplice(p.w, b:at(0, 10)), "EFAULT")
expect(write(p.w, "ab"), 2)
expect(read(p.r, b, 2), "EFAULT")
expect(touch(b), "EFAULT")
expect(mprotect(b, "rw"), 0)
expect(vmsplice(p.w, b:at(0, 10)), 10)
expect(read(p.r, b, 2), 2)
