-- SPDX-License-Identifier: MIT
-- A readv ends with the packet, whatever room is left.
local p, b = pipe{nonblock = true, packet = true}, buffer("4K")
expect(write(p.w, "abcdef"), 6)
expect(write(p.w, "ghi"), 3)
expect(readv(p.r, {b:at(0, 4), b:at(100, 100)}), 6)
expect(bytes(b, 100, 2), "ef")
expect(readv(p.r, {b:at(0, 2)}), 2)
expect(fionread(p.r), 0)
