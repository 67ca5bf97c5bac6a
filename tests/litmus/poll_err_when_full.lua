-- SPDX-License-Identifier: MIT
-- Without a reader the write end shows ERR, and OUT only while a slot is free.
local p, b = pipe{nonblock = true}, buffer("64K")
expect(write(p.w, b, 61440), 61440)
local q = pipe{nonblock = true}
expect(write(q.w, b, 65536), 65536)
expect(close(p.r), 0)
expect(close(q.r), 0)
expect(poll(p.w), "OUT|ERR")
expect(poll(q.w), "ERR")
