-- SPDX-License-Identifier: MIT
-- Pages that went from a pipe into a socket by reference come out of it as the same pages.
local s = socketpair{type="stream", nonblock=true}
local p, q = pipe{nonblock=true}, pipe{nonblock=true}
local b = buffer{size="8K", name="b"}

expect(vmsplice(p.w, b), 8192)
expect(splice(p.r, s.a, 8192), 8192)
expect(ring(p), "head=2 tail=2")
expect(splice(s.b, q.w, 8192), 8192)
expect(ring(q), "head=2 tail=0 | 0:b[0]@0+4096 | 1:b[1]@0+4096")
