-- SPDX-License-Identifier: MIT
-- /dev/null takes everything and gives nothing.
local n = null()
local b = buffer("64K")
expect(write(n, b), 65536)
expect(read(n, 10), 0)
expect(poll(n), "IN|OUT")
expect(fionread(n), "ENOTTY")
expect(fcntl(n, "F_GETPIPE_SZ"), "EBADF")
