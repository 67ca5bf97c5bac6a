-- SPDX-License-Identifier: MIT
-- A splice stops at the end of a file, and gives 0 there and beyond it.
local p, f = pipe{nonblock = true}, file{size = 41060}
expect(splice(f, 40960, p.w, nil, 5000), 100)
expect(splice(f, 41060, p.w, nil, 10), 0)
expect(splice(f, 1048576, p.w, nil, 10), 0)
expect(fionread(p.r), 100)
expect(ring(p), "head=1 tail=0 | 0:f1[10]@0+100")
