-- SPDX-License-Identifier: MIT
-- vmsplice may take a part of a packet; the rest of it stays.
local p = pipe{nonblock = true, packet = true}
local b, d = buffer("4K"), buffer("4K")
expect(write(p.w, b, 100), 100)
expect(vmsplice(p.r, d:at(0, 30), "SPLICE_F_NONBLOCK"), 30)
expect(fionread(p.r), 70)
expect(read(p.r, 10), 10)
expect(fionread(p.r), 0)
