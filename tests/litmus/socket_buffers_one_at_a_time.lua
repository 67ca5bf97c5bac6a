-- SPDX-License-Identifier: MIT
-- Two sends are two buffers: they become two slots, though their bytes lie side by side in one fragment page.
local s = socketpair{nonblock=true}
local p = pipe{nonblock=true}
local b = buffer("4K")

expect(write(s.a, b, 100), 100)
expect(write(s.a, b, 100), 100)
expect(fionread(s.b), 200)
expect(splice(s.b, p.w, 1000), 200)
expect(ring(p), "head=2 tail=0 | 0:k1@0+100 | 1:k1@100+100")
