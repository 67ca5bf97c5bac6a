-- SPDX-License-Identifier: MIT
-- A store to a shared mapping is a store to the file, and to what a pipe holds of it.
local p, q, f, back = pipe{nonblock = true}, pipe{nonblock = true}, file{size = 8192}, buffer("8K")
local m = buffer{size = "8K", file = f, shared = true}
expect(vmsplice(p.w, m), 8192)
expect(ring(p), "head=2 tail=0 | 0:f1[0]@0+4096 | 1:f1[1]@0+4096")
write_bytes(m, 4096, "new")
expect(splice(f, 4096, q.w, nil, 3), 3)
expect(read(q.r, back), 3)
expect(bytes(back, 0, 3), "new")
expect(read(p.r, back), 8192)
expect(bytes(back, 4096, 3), "new")
