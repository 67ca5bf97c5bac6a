-- SPDX-License-Identifier: MIT
-- Unmapped memory faults, and so does a call that runs into it halfway.
local p, b = pipe{nonblock = true}, buffer("12K")
expect(munmap(b:at(4096, 4096)), 0)
expect(write(p.w, b:at(4096), 10), "EFAULT")
expect(vmsplice(p.w, b:at(4096, 10)), "EFAULT")
expect(vmsplice(p.w, b), 4096)
expect(touch(b:at(4096, 1)), "EFAULT")
expect(mprotect(b, "rw"), "ENOMEM")
expect(munmap(b), 0)
expect(munmap(b), 0)
