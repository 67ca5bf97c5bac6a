-- SPDX-License-Identifier: MIT
-- A duplicate keeps the end open; the writer is gone only with the last one.
local p = pipe{nonblock = true}
local d = dup(p.w)
expect(d, 5)
expect(close(p.w), 0)
expect(read(p.r, 1), "EAGAIN")
expect(write(d, "x"), 1)
expect(fcntl(d, "F_SETFL", "O_NONBLOCK|O_DIRECT"), 0)
expect(write(d, "y"), 1) -- appended all the same
expect(ring(p), "head=1 tail=0 | 0:k1@0+2 M")
expect(close(d), 0)
expect(read(p.r, 10), 2)
expect(read(p.r, 10), 0)
