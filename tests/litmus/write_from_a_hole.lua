-- SPDX-License-Identifier: MIT
-- A write that faults at once leaves the ring alone; the page it had got becomes a spare one.
kernel{min = "6.15"}
local p = pipe{nonblock = true}
local b = buffer("4K")
expect(write(p.w, b:at(4096), 100), "EFAULT")
expect(ring(p), "head=0 tail=0")
expect(tmp_pages(p), 1)
expect(fionread(p.r), 0)
expect(poll(p.r), "")
