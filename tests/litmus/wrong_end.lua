-- SPDX-License-Identifier: MIT
-- Writing to the read end or reading from the write end: EBADF, as for a number that is no descriptor.
local p = pipe{nonblock = true}
local b = buffer("4K")
expect(write(p.r, b, 1), "EBADF")
expect(read(p.w, 1), "EBADF")
expect(write(99, b, 1), "EBADF")
expect(close(99), "EBADF")
expect(fionread(99), "EBADF")
expect(close(p.r), 0)
expect(close(p.r), "EBADF")
expect(read(p.r, 1), "EBADF")
