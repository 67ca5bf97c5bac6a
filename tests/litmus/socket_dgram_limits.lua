-- SPDX-License-Identifier: MIT
-- A datagram of nothing is one; one larger than the send buffer less 32 bytes is refused.
local s = socketpair{type="dgram", nonblock=true}
local b = buffer("256K")

expect(write(s.a, b, 0), 0)
expect(poll(s.b), "IN|OUT")
expect(read(s.b, 10), 0)
expect(write(s.a, b, 212961), "EMSGSIZE")
expect(write(s.a, b, 212960), 212960)
expect(read(s.b, 262144), 212960)
