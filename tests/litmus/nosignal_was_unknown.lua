-- SPDX-License-Identifier: MIT
-- Before 6.18 RWF_NOSIGNAL was a flag that nobody knew.
kernel{max = "6.17"}
local p = pipe()
expect(pwritev2(p.w, "x", "RWF_NOSIGNAL"), "EOPNOTSUPP")
expect(fionread(p.r), 0)
