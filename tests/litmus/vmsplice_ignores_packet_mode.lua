-- SPDX-License-Identifier: MIT
-- O_DIRECT of the pipe is nothing to vmsplice: its slots are plain.
local p = pipe{nonblock = true, packet = true}
local b = buffer{size = "4K", name = "b"}
expect(vmsplice(p.w, b:at(0, 100)), 100)
expect(ring(p), "head=1 tail=0 | 0:b[0]@0+100")
expect(read(p.r, 40), 40)
expect(fionread(p.r), 60)
