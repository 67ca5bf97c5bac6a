-- SPDX-License-Identifier: MIT
-- 4095 of 4096 bytes read, and the write end is still not ready.
local p = pipe{nonblock = true}
local b = buffer("64K")
expect(write(p.w, b), 65536)
expect(read(p.r, 4095), 4095)
expect(poll(p.w), "")
expect(read(p.r, 1), 1)
expect(poll(p.w), "OUT")
close(p.w)
expect(poll(p.r), "IN|HUP")
expect(fionread(p.r), 61440)
