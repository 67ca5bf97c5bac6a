-- SPDX-License-Identifier: MIT
-- No copy: what the writer stores later is what the reader sees.
local p = pipe()
local b = buffer{size="16K", name="b"}
expect(vmsplice(p.w, b:at(100, 8192), ""), 8192)
expect(ring(p), "head=3 tail=0 | 0:b[0]@100+3996 | 1:b[1]@0+4096 | 2:b[2]@0+100")
write_bytes(b, 100, "Z")
local d = buffer("4K")
expect(read(p.r, d, 1), 1)
expect(bytes(d, 0, 1), "Z")
