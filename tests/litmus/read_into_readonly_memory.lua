-- SPDX-License-Identifier: MIT
-- A read into memory that may not be written faults and takes nothing.
local p = pipe{nonblock = true}
local b = buffer{size = "4K", readonly = true}
expect(write(p.w, b, 10), 10)
expect(read(p.r, b, 10), "EFAULT")
expect(fionread(p.r), 10)
expect(vmsplice(p.w, b, ""), 4096) -- reading it is all that vmsplice needs
