-- SPDX-License-Identifier: MIT
-- Up to 6.3 pipes knew no RWF_NOWAIT: nothing is read or written.
kernel{max = "6.3"}
local p = pipe()
expect(preadv2(p.r, 1, "RWF_NOWAIT"), "EOPNOTSUPP")
expect(pwritev2(p.w, "0123456789", "RWF_NOWAIT"), "EOPNOTSUPP")
expect(fionread(p.r), 0)
