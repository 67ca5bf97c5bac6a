-- SPDX-License-Identifier: MIT
-- A mapping that asked for it lies above 47 bits where there are five levels, and its pages go into a pipe like others.
kernel{levels = 5}
local p, b = pipe(), buffer{size = "8K", high = true, name = "b"}
expect(walk(b, 0):match("pgd%[(%d+)%]") ~= "0", true)
expect(vmsplice(p.w, b), 8192)
expect(ring(p), "head=2 tail=0 | 0:b[0]@0+4096 | 1:b[1]@0+4096")
