-- SPDX-License-Identifier: MIT
-- A FIFO is resized like any pipe.
local f = fifo()
local fd = open(f, "rw")
expect(fcntl(fd, "F_GETPIPE_SZ"), 65536)
expect(fcntl(fd, "F_SETPIPE_SZ", 4096), 4096)
expect(ring_size(fd), 1)
expect(write(fd, "a"), 1)
