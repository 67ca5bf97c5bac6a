-- SPDX-License-Identifier: MIT
-- FIONREAD of a stream counts what is left of a buffer that was read in part (6.17 counted the whole of it).
kernel{max = "6.16"}
local s, b = socketpair{nonblock = true}, buffer("16K")
expect(write(s.a, b, 10000), 10000)
expect(read(s.b, b:at(0, 119)), 119)
expect(fionread(s.b), 9881)
