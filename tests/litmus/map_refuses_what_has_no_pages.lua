-- SPDX-License-Identifier: MIT
-- Pipes, sockets and /dev/null cannot be mapped; a file that is open for one direction neither.
local p, s = pipe(), socketpair()
expect(buffer{size = "4K", file = p.r}, "ENODEV")
expect(buffer{size = "4K", file = p.w}, "EACCES")
expect(buffer{size = "4K", file = p.r, shared = true}, "EACCES")
expect(buffer{size = "4K", file = s.a}, "ENODEV")
expect(buffer{size = "4K", file = null()}, "ENODEV")
expect(buffer{size = "4K", file = 99}, "EBADF")
