-- SPDX-License-Identifier: MIT
-- A buffer that begins inside a page: its pages are counted from the one it begins in.
local p = pipe{nonblock = true}
local b = buffer{size = 8000, offset = 96, name = "b"}
expect(vmsplice(p.w, b), 8000)
expect(ring(p), "head=2 tail=0 | 0:b[0]@96+4000 | 1:b[1]@0+4000")
