-- SPDX-License-Identifier: MIT
-- A readv whose second part is a hole delivers what it could before the slot that did not fit.
local p, b = pipe{nonblock = true}, buffer("8K")
expect(write(p.w, b, 4096), 4096)
expect(write(p.w, b, 100), 100)
expect(readv(p.r, {b:at(0, 4096), b:at(8192, 50)}), 4096)
expect(fionread(p.r), 100)
expect(readv(p.r, {b:at(0, 50), b:at(8192, 50)}), "EFAULT")
expect(fionread(p.r), 100)
