-- SPDX-License-Identifier: MIT
-- A stream closed with something unread tells its peer ECONNRESET, once.
local s = socketpair()
local b = buffer("4K")

expect(write(s.a, b, 10), 10)
expect(close(s.b), 0)
expect(poll(s.a), "IN|OUT|ERR|HUP")
expect(read(s.a, 10), "ECONNRESET")
expect(read(s.a, 10), 0)
expect(write(s.a, b, 1), "EPIPE")
expect(signals(), "SIGPIPE")
