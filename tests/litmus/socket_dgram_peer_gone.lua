-- SPDX-License-Identifier: MIT
-- A datagram socket learns at the next send that its peer is closed; after that it has none.
local s = socketpair{type="dgram", nonblock=true}
local b = buffer("4K")

expect(close(s.b), 0)
expect(read(s.a, 10), "EAGAIN")
expect(write(s.a, b, 10), "ECONNREFUSED")
expect(write(s.a, b, 10), "ENOTCONN")
expect(signals(), "")
