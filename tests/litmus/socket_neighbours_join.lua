-- SPDX-License-Identifier: MIT
-- Pieces of one page that follow each other in neighbouring slots become one fragment, and one slot again.
local s = socketpair{nonblock=true}
local p, q = pipe{nonblock=true}, pipe{nonblock=true}
local b = buffer{size="4K", name="b"}

expect(vmsplice(p.w, {b:at(0, 100), b:at(100, 100), b:at(300, 100)}), 300)
expect(splice(p.r, s.a, 300), 300)
expect(splice(s.b, q.w, 300), 300)
expect(ring(q), "head=2 tail=0 | 0:b[0]@0+200 | 1:b[0]@300+100")
