-- SPDX-License-Identifier: MIT
-- FIONREAD adds up the slots and may be asked of either end.
local p = pipe{nonblock = true}
local b = buffer("64K")
expect(fionread(p.r), 0)
expect(write(p.w, b, 5000), 5000)
expect(vmsplice(p.w, b:at(10, 20)), 20)
expect(fionread(p.r), 5020)
expect(fionread(p.w), 5020)
