-- SPDX-License-Identifier: MIT
-- readv fills its buffers one after the other, across slots.
local p = pipe{nonblock = true, packet = true}
local a, b = buffer("4K"), buffer("4K")
expect(write(p.w, "abc"), 3)
expect(readv(p.r, {a:at(0, 2), b:at(0, 2)}), 3)
expect(bytes(a, 0, 2), "ab")
expect(bytes(b, 0, 1), "c")
expect(fcntl(p.w, "F_SETFL", "O_NONBLOCK"), 0)
expect(write(p.w, "defg"), 4)
expect(readv(p.r, {a:at(0, 1), b:at(0, 2)}), 3)
expect(bytes(b, 0, 2), "ef")
expect(fionread(p.r), 1)
