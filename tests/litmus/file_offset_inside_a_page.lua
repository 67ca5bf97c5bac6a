-- SPDX-License-Identifier: MIT
-- A splice that starts inside a page of a file takes the rest of that page as its first slot.
local p, f = pipe{nonblock = true}, file{size = 41060}
expect(splice(f, 5000, p.w, nil, 5000), 5000)
expect(ring(p), "head=2 tail=0 | 0:f1[1]@904+3192 | 1:f1[2]@0+1808")
