-- SPDX-License-Identifier: MIT
-- A private mapping of /dev/zero is anonymous memory: untouched, it shows the zero page.
local p = pipe{nonblock = true}
local m = buffer{size = "8K", file = zero(), name = "m"}
expect(vmsplice(p.w, m), 8192)
expect(ring(p), "head=2 tail=0 | 0:z@0+4096 | 1:z@0+4096")
