-- SPDX-License-Identifier: MIT
-- FIONREAD of a stream socket counts what is left of a buffer; kernels from 6.17 to about 6.18.15 counted all of it.
local whole = kernel{version = "6.18", features = "inq-whole"}
local s, b = socketpair{nonblock=true}, buffer("16K")

expect(write(s.a, b, 10000), 10000)
expect(read(s.b, 119), 119)
expect(fionread(s.b), whole and 10000 or 9881)
expect(read(s.b, 9881), 9881)
expect(fionread(s.b), 0)
