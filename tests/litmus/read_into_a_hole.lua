-- SPDX-License-Identifier: MIT
-- A read that faults consumes nothing of the slot it was at.
local p = pipe{nonblock = true}
local b = buffer("16K")
expect(write(p.w, b, 100), 100)
expect(read(p.r, b:at(16334), 100), "EFAULT") -- 50 bytes are there
expect(fionread(p.r), 100)
expect(write(p.w, b, 4096), 4096)
expect(read(p.r, b:at(16234), 4196), 100) -- the first slot fits, the second does not
expect(fionread(p.r), 4096)
expect(ring(p), "head=2 tail=1 | 1:k1@0+4096 M")
