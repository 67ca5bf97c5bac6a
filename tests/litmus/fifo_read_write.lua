-- SPDX-License-Identifier: MIT
-- A FIFO opened for both never waits, and is both ends at once.
local f = fifo()
local fd = open(f, "rw")
expect(poll(fd), "OUT")
expect(write(fd, "hello"), 5)
expect(poll(fd), "IN|OUT")
expect(ring(fd), "head=1 tail=0 | 0:k1@0+5 M")
expect(read(fd, 2), 2)
expect(fionread(fd), 3)
