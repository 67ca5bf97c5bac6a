-- SPDX-License-Identifier: MIT
-- x86 cannot allow stores alone: a write() out of memory that is mapped for writing finds it readable, touched or not.
-- get_user_pages asks the area, so that vmsplice finds what is touched and no more.
local p = pipe{nonblock = true}
local b, u = buffer("4K"), buffer{size = "8K", file = file{size = 8192}}
expect(mprotect(b, "write"), 0)
expect(write(p.w, b:at(0, 10)), 10)
expect(vmsplice(p.w, b:at(0, 10)), 10)
expect(mprotect(u, "write"), 0)
expect(vmsplice(p.w, u:at(0, 10)), "EFAULT")
expect(write(p.w, u:at(4096, 10)), 10)
