-- SPDX-License-Identifier: MIT
-- vmsplice puts in what has slots and never sleeps in the middle.
local p = pipe()
local b = buffer("256K")
expect(vmsplice(p.w, b, ""), 65536)
expect(vmsplice(p.w, b, "SPLICE_F_NONBLOCK"), "EAGAIN")
expect(read(p.r, 4095), 4095)
expect(vmsplice(p.w, b, "SPLICE_F_NONBLOCK"), "EAGAIN")
