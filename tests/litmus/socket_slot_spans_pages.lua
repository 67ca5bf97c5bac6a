-- SPDX-License-Identifier: MIT
-- A slot of a socket may hold more than a page; sent on, it is page by page.
kernel{min = "6.5"}
local s, t = socketpair{nonblock=true}, socketpair{nonblock=true}
local p, q = pipe{nonblock=true}, pipe{nonblock=true}
local b = buffer("64K")

expect(write(s.a, b, 32768), 32768)
expect(splice(s.b, p.w, 40000), 32768)
expect(ring(p), "head=1 tail=0 | 0:k1@0+32768")
expect(splice(p.r, t.a, 10000), 10000)
expect(ring(p), "head=1 tail=0 | 0:k1@10000+22768")
expect(splice(t.b, q.w, 40000), 10000)
expect(ring(q), "head=3 tail=0 | 0:k1@0+4096 | 1:k2@0+4096 | 2:k3@0+1808")
