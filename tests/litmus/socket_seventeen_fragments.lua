-- SPDX-License-Identifier: MIT
-- A socket buffer holds 17 fragments, and a call takes 17 pieces of a buffer; 16 slots go in a message.
local s = socketpair{nonblock=true}
local p, q = pipe{slots=32, nonblock=true}, pipe{slots=32, nonblock=true}
local b = buffer{size="128K", name="b"}

for i = 0, 31 do expect(vmsplice(p.w, b:at(i * 4096, 100)), 100) end
expect(splice(p.r, s.a, 3200), 3200)
expect(splice(s.b, q.w, 1600), 1600)
expect(splice(s.b, q.w, 1600), 1600)
expect(fionread(q.r), 3200)
expect(ring_size(q), 32)
