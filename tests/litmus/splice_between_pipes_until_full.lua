-- SPDX-License-Identifier: MIT
-- A splice between pipes stops when the output is full.
local p, q, b = pipe{nonblock = true}, pipe{nonblock = true}, buffer("64K")
expect(write(q.w, b, 57344), 57344)
expect(write(p.w, b, 20480), 20480)
expect(splice(p.r, nil, q.w, nil, 1048576), 8192)
expect(splice(p.r, nil, q.w, nil, 1), "EAGAIN")
expect(fionread(p.r), 12288)
expect(ring(p), "head=5 tail=2 | 2:k1@0+4096 M | 3:k2@0+4096 M | 4:k3@0+4096 M")
