-- SPDX-License-Identifier: MIT
-- An append that faults leaves the slot as long as it was.
local p = pipe{nonblock = true}
local b = buffer("8K")
expect(write(p.w, b, 10), 10)
expect(write(p.w, b:at(8142), 100), "EFAULT") -- 50 bytes are there
expect(ring(p), "head=1 tail=0 | 0:k1@0+10 M")
expect(fionread(p.r), 10)
