-- SPDX-License-Identifier: MIT
-- A fault inside a slot leaves that slot untouched; earlier ones count.
local p = pipe{nonblock = true}
local b = buffer("16K")
expect(write(p.w, b, 100), 100)
expect(vmsplice(p.r, b:at(16334, 100), "SPLICE_F_NONBLOCK"), "EFAULT")
expect(fionread(p.r), 100)
expect(write(p.w, b, 4096), 4096)
expect(vmsplice(p.r, b:at(16234, 4196), "SPLICE_F_NONBLOCK"), 100)
expect(fionread(p.r), 4096)
