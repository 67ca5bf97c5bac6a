-- SPDX-License-Identifier: MIT
-- vmsplice from a pipe copies what is there, and stops when the ring runs dry.
local p = pipe{nonblock = true}
local b, d = buffer("16K"), buffer("128K")
write_bytes(b, 0, "hello")
expect(write(p.w, b, 5000), 5000)
expect(vmsplice(p.r, d:at(0, 100), "SPLICE_F_NONBLOCK"), 100)
expect(bytes(d, 0, 5), "hello")
expect(ring(p), "head=2 tail=0 | 0:k1@100+3996 M | 1:k2@0+904 M")
expect(vmsplice(p.r, d:at(0, 100000), "SPLICE_F_NONBLOCK"), 4900)
expect(vmsplice(p.r, d:at(0, 10), "SPLICE_F_NONBLOCK"), "EAGAIN")
close(p.w)
expect(vmsplice(p.r, d:at(0, 10)), 0)
