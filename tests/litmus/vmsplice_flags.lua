-- SPDX-License-Identifier: MIT
-- Flags that do not exist are refused, before the descriptor is looked at.
local p = pipe{nonblock = true}
local b = buffer("4K")
expect(vmsplice(p.w, b, 16), "EINVAL")
expect(vmsplice(99, b, 16), "EINVAL")
expect(vmsplice(99, b), "EBADF")
expect(vmsplice(null(), b), "EBADF")
expect(vmsplice(null(), b:at(0, 0)), 0)
expect(vmsplice(p.w, b, "SPLICE_F_MOVE|SPLICE_F_MORE"), 4096)
