-- SPDX-License-Identifier: MIT
-- A count beyond 0x7ffff000 is cut there: no odd bytes, so nothing is merged.
local p = pipe{nonblock = true}
local b = buffer("128K")
expect(write(p.w, b, 100), 100)
expect(write(p.w, b, 0x80000001), 15 * 4096)
expect(ring(p):match("0:k1@0%+100 M | 1:k2@0%+4096 M"), "0:k1@0+100 M | 1:k2@0+4096 M")
expect(write(p.w, b, -1), "EFAULT")
