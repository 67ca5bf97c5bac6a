-- SPDX-License-Identifier: MIT
-- A write of 0 bytes gives 0 whatever the state: no reader, a full ring, it does not even look.
local p = pipe{nonblock = true}
local b = buffer("64K")
expect(write(p.w, b, 0), 0)
expect(write(p.w, b, 65536), 65536)
expect(write(p.w, b, 1), "EAGAIN")
expect(write(p.w, b, 0), 0)
close(p.r)
expect(write(p.w, b, 0), 0)
expect(signals(), "")
