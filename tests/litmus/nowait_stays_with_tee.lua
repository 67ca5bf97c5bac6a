-- SPDX-License-Identifier: MIT
-- tee leaves RWF_NOWAIT to its pipes, and sendfile to the one it fills.
kernel{min = "6.4"}
local p, q, f = pipe(), pipe(), file{size = 100}
expect(write(p.w, "xy"), 2)
expect(tee(p.r, q.w, 2), 2)
expect(preadv2(p.r, 1, "RWF_NOWAIT"), 1)
expect(pwritev2(q.w, "x", "RWF_NOWAIT"), 1)
expect(sendfile(p.w, f, nil, 10), 10)
expect(pwritev2(p.w, "x", "RWF_NOWAIT"), 1)
