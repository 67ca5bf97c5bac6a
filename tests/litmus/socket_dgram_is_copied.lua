-- SPDX-License-Identifier: MIT
-- A datagram is copied into fresh pages, one a call; what the request does not cover is lost.
local s = socketpair{type="dgram", nonblock=true}
local p = pipe{nonblock=true}
local b = buffer("8K")

expect(write(s.a, b, 100), 100)
expect(write(s.a, b, 50), 50)
expect(splice(s.b, p.w, 1048576), 100)
expect(splice(s.b, p.w, 10), 10)
expect(splice(s.b, p.w, 10), "EAGAIN")
expect(fionread(p.r), 110)
expect(ring(p), "head=2 tail=0 | 0:k1@0+100 | 1:k2@0+10")
