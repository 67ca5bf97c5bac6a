-- SPDX-License-Identifier: MIT
-- A write that faults in its second page has written the first.
kernel{min = "6.15"}
local p = pipe{nonblock = true}
local b = buffer("8K")
expect(write(p.w, b:at(2192), 10000), 4096) -- 6000 bytes are there
expect(ring(p), "head=1 tail=0 | 0:k1@0+4096 M")
expect(tmp_pages(p), 1)
