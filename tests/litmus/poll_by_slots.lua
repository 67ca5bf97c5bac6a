-- SPDX-License-Identifier: MIT
-- The write end is ready while a slot is free, however few bytes there are; never before a slot is emptied.
local p = pipe{nonblock = true}
local b = buffer("1M")
expect(poll(p.r), "")
expect(poll(p.w), "OUT")
expect(write(p.w, b, 1), 1)
expect(poll(p.r), "IN")
expect(poll(p.w), "OUT")
expect(write(p.w, b, 1048576), 61440)
expect(poll(p.w), "")
expect(poll(p.r), "IN")
expect(read(p.r, 1), 1)
expect(poll(p.w), "OUT")
expect(fionread(p.r), 61440)
