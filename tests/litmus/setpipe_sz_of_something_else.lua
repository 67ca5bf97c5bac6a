-- SPDX-License-Identifier: MIT
-- Only a pipe has a size to set.
local f, n = file{size = 100}, null()
expect(fcntl(f, "F_SETPIPE_SZ", 4096), "EBADF")
expect(fcntl(n, "F_GETPIPE_SZ"), "EBADF")
