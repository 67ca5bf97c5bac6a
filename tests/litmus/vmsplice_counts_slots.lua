-- SPDX-License-Identifier: MIT
-- vmsplice takes what has slots, once; O_NONBLOCK of the pipe is not what it asks about.
local p = pipe{nonblock = true}
local b = buffer("128K")
expect(vmsplice(p.w, b:at(0, 81920), "SPLICE_F_NONBLOCK"), 65536)
expect(vmsplice(p.w, b:at(0, 4096), "SPLICE_F_NONBLOCK"), "EAGAIN")
expect(read(p.r, 100), 100)
expect(vmsplice(p.w, b:at(0, 4096), "SPLICE_F_NONBLOCK"), "EAGAIN")
expect(read(p.r, 3996), 3996)
expect(vmsplice(p.w, b:at(0, 12288), "SPLICE_F_NONBLOCK"), 4096)
expect(fionread(p.r), 65536)
