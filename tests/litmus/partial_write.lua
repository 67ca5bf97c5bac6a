-- SPDX-License-Identifier: MIT
-- A nonblocking write of more than a page gives what fitted, whole pages here.
local p = pipe{nonblock = true}
local b = buffer("64K")
expect(write(p.w, b, 65536), 65536)
expect(read(p.r, 4096), 4096)
expect(write(p.w, b, 5000), 4096)
expect(write(p.w, b, 904), "EAGAIN")
