-- SPDX-License-Identifier: MIT
-- Read-only memory can be written from and spliced, but nothing can be read into it.
local p, b = pipe{nonblock = true}, buffer("4K")
expect(mprotect(b, "read"), 0)
expect(write(p.w, b, 10), 10)
expect(vmsplice(p.w, b:at(0, 10)), 10)
expect(read(p.r, b, 2), "EFAULT")
expect(write_bytes(b, 0, "x"), "EFAULT")
expect(touch(b), "EFAULT")
expect(fionread(p.r), 20)
