-- SPDX-License-Identifier: MIT
-- Opening a FIFO to write waits for a reader.
local f = fifo()
local t = task("writer", function() local fd = open(f, "w") return write(fd, "hello") end)
expect(run(t), "blocked")
local r = open(f, "r")
expect(run(t), 5)
expect(fionread(r), 5)
