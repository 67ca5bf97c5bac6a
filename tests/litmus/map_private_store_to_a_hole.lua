-- SPDX-License-Identifier: MIT
-- The first store to a hole of a private mapping fills the hole with zeroes, and copies those.
local p, f = pipe{nonblock = true}, file{size = "8K", cached = false}
local m = buffer{size = "8K", file = f, name = "m"}
write_bytes(m, 0, "mine")
expect(vmsplice(p.w, m:at(0, 4)), 4)
expect(ring(p), "head=1 tail=0 | 0:m[0]@0+4")
expect(splice(f, 0, p.w, nil, 4), 4)
expect(ring(p), "head=2 tail=0 | 0:m[0]@0+4 | 1:f1[0]@0+4")
