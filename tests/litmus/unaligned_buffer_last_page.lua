-- SPDX-License-Identifier: MIT
-- A buffer that straddles one page more than its length says has that page too.
local p = pipe{nonblock = true}
local b = buffer{size = 4096, offset = 96, name = "b"}
expect(vmsplice(p.w, b), 4096)
expect(ring(p), "head=2 tail=0 | 0:b[0]@96+4000 | 1:b[1]@0+96")
