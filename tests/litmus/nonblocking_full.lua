-- SPDX-License-Identifier: MIT
-- A nonblocking write into a full ring: first what fits, then EAGAIN until a slot is free.
local p = pipe{slots=4, nonblock=true}
local b = buffer("64K")
expect(write(p.w, b, 20000), 16384)
expect(write(p.w, b, 1), "EAGAIN")
expect(poll(p.w), "")
expect(poll(p.r), "IN")
expect(read(p.r, 5000), 5000)
expect(ring(p), "head=4 tail=1 | 1:k1@904+3192 M | 2:k2@0+4096 M | 3:k3@0+4096 M")
expect(poll(p.w), "OUT")
expect(write(p.w, b, 8192), 4096)
