-- SPDX-License-Identifier: MIT
-- RWF_NOWAIT makes one call not wait, on a pipe() whose end was never spliced.
kernel{min = "6.4"}
local p, n = pipe(), null()
expect(preadv2(p.r, 1, "RWF_NOWAIT"), "EAGAIN")
expect(pwritev2(p.w, "0123456789", "RWF_NOWAIT"), 10)
expect(splice(p.r, nil, n, nil, 10), 10)
expect(preadv2(p.r, 1, "RWF_NOWAIT"), "EOPNOTSUPP")
expect(pwritev2(p.w, "x", "RWF_NOWAIT"), 1)
expect(vmsplice(p.w, buffer("4K")), 4096)
expect(pwritev2(p.w, "x", "RWF_NOWAIT"), "EOPNOTSUPP")
