-- SPDX-License-Identifier: MIT
-- A slot that was moved to another pipe whole is merged into there.
local p, q, b = pipe{nonblock = true}, pipe{nonblock = true}, buffer("4K")
expect(write(p.w, b, 100), 100)
expect(splice(p.r, nil, q.w, nil, 100), 100)
expect(write(q.w, b, 10), 10)
expect(ring(q), "head=1 tail=0 | 0:k1@0+110 M")
expect(splice(p.r, nil, q.w, nil, 1), "EAGAIN")
expect(ring(p), "head=1 tail=1")
