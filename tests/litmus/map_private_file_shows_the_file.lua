-- SPDX-License-Identifier: MIT
-- A spliced page of a private file mapping is the file's: a store to the mapping copies it away, a write to the file shows.
local p, f = pipe{nonblock = true}, file{size = 4096}
expect(write(f, "FFFF"), 4)
local m, back = buffer{size = "4K", file = f, name = "m"}, buffer("4K")
expect(vmsplice(p.w, m:at(0, 4)), 4)
expect(ring(p), "head=1 tail=0 | 0:f1[0]@0+4")
write_bytes(m, 0, "G")
expect(bytes(m, 0, 4), "GFFF")
local q = pipe()
expect(write(q.w, "H"), 1)
expect(splice(q.r, nil, f, 0, 1), 1)
expect(bytes(m, 0, 4), "GFFF")
expect(read(p.r, back), 4)
expect(bytes(back, 0, 4), "HFFF")
