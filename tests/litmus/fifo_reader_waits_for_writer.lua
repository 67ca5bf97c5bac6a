-- SPDX-License-Identifier: MIT
-- Opening a FIFO to read waits for a writer.
local f = fifo()
local t = task("reader", function() local fd = open(f, "r") return read(fd, 100) end)
expect(run(t), "blocked")
local w = open(f, "w")
expect(write(w, "hello"), 5)
expect(run(t), 5)
