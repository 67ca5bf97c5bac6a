-- SPDX-License-Identifier: MIT
-- A splice of part of a buffer goes on inside it the next time.
local s = socketpair{nonblock=true}
local p = pipe{nonblock=true}
local b = buffer("16K")

expect(write(s.a, b, 10000), 10000)
expect(splice(s.b, p.w, 5000), 5000)
expect(splice(s.b, p.w, 5000), 5000)
expect(ring(p), "head=3 tail=0 | 0:k1@0+1808 | 1:k2@0+3192 | 2:k2@3192+5000")
