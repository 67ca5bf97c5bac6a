-- SPDX-License-Identifier: MIT
-- Until 6.14 a write that faulted left a slot of length 0, which poll took for data.
kernel{max = "6.14"}
local p = pipe{nonblock = true}
local b = buffer("4K")
expect(write(p.w, b:at(4096), 100), "EFAULT")
expect(ring(p), "head=1 tail=0 | 0:k1@0+0 M")
expect(fionread(p.r), 0)
expect(poll(p.r), "IN")
expect(write(p.w, b, 10), 10)
expect(ring(p), "head=1 tail=0 | 0:k1@0+10 M")
expect(read(p.r, 100), 10)
