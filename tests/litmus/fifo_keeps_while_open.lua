-- SPDX-License-Identifier: MIT
-- As long as one end is open, a FIFO keeps its data for whoever opens it next.
local f = fifo()
local r = open(f, "r", "nonblock")
local w = open(f, "w")
expect(write(w, "hello"), 5)
expect(close(w), 0)
expect(poll(r), "IN|HUP")
local w2 = open(f, "w")
expect(poll(r), "IN")
expect(write(w2, "x"), 1)
expect(read(r, 100), 6)
