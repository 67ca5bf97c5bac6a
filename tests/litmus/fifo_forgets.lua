-- SPDX-License-Identifier: MIT
-- When nobody has it open, a FIFO loses what was in it.
local f = fifo()
local fd = open(f, "rw")
expect(write(fd, "hello"), 5)
expect(close(fd), 0)
local again = open(f, "rw")
expect(fionread(again), 0)
expect(ring(again), "head=0 tail=0")
