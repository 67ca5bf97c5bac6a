-- SPDX-License-Identifier: MIT
-- Without waiting a FIFO opens for reading at once, and for writing not at all while nobody reads.
local f = fifo()
expect(open(f, "w", "nonblock"), "ENXIO")
local r = open(f, "r", "nonblock")
expect(r, 3)
expect(open(f, "w", "nonblock"), 4)
