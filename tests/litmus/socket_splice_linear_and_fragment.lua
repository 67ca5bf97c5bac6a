-- SPDX-License-Identifier: MIT
-- A small send lies in the buffer's linear part and is copied out of it; a large one has its tail in a fragment that goes by reference.
local s = socketpair{type="stream", nonblock=true}
local p = pipe{nonblock=true}
local b = buffer("16K")

expect(write(s.a, b, 100), 100)
expect(splice(s.b, p.w, 1048576), 100)
expect(write(s.a, b, 10000), 10000)
expect(splice(s.b, p.w, 1048576), 10000)
expect(splice(s.b, p.w, 1), "EAGAIN")
expect(fionread(p.r), 10100)
expect(ring(p), "head=3 tail=0 | 0:k1@0+100 | 1:k1@100+1808 | 2:k2@0+8192")
