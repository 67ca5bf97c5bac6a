-- SPDX-License-Identifier: MIT
-- A FIFO opened to read without waiting gives end of file, but no HUP until a writer has been there.
local f = fifo()
local r = open(f, "r", "nonblock")
expect(poll(r), "")
expect(read(r, 10), 0)
local w = open(f, "w")
expect(poll(r), "")
expect(read(r, 10), "EAGAIN")
expect(close(w), 0)
expect(poll(r), "HUP")
expect(read(r, 10), 0)
