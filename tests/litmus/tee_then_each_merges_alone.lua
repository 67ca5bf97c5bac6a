-- SPDX-License-Identifier: MIT
-- After tee the first pipe goes on filling the shared page; the second takes a page of its own.
local p, q, b = pipe{nonblock = true}, pipe{nonblock = true}, buffer("4K")
expect(write(p.w, b, 100), 100)
expect(tee(p.r, q.w, 100), 100)
expect(write(p.w, "p"), 1)
expect(write(q.w, "q"), 1)
expect(ring(p), "head=1 tail=0 | 0:k1@0+101 M")
expect(ring(q), "head=2 tail=0 | 0:k1@0+100 | 1:k2@0+1 M")
expect(read(q.r, b, 1000), 101)
expect(bytes(b, 100, 1), "q")
expect(read(p.r, b, 1000), 101)
expect(bytes(b, 100, 1), "p")
expect(tmp_pages(p), 1)
