-- SPDX-License-Identifier: MIT
-- A stream whose peer is closed: the rest is read, then the end; a send gives SIGPIPE and EPIPE, and a splice leaves the data in the pipe.
local s = socketpair()
local p = pipe()
local b = buffer("4K")

expect(write(s.a, b, 10), 10)
expect(close(s.a), 0)
expect(poll(s.b), "IN|OUT|HUP")
expect(read(s.b, 4), 4)
expect(write(p.w, b, 5), 5)
expect(splice(p.r, s.b, 5), "EPIPE")
expect(signals(), "SIGPIPE")
expect(fionread(p.r), 5)
expect(read(s.b, 100), 6)
expect(read(s.b, 100), 0)
expect(splice(s.b, p.w, 100), 0)
