-- SPDX-License-Identifier: MIT
-- splice to /dev/null takes part of a slot, then all, then nothing.
local p = pipe{nonblock=true}
local b = buffer{size="16K", name="b"}
local n = null()
expect(write(p.w, b, 10000), 10000)
expect(splice(p.r, nil, n, nil, 5000, ""), 5000)
expect(ring(p), "head=3 tail=1 | 1:k1@904+3192 M | 2:k2@0+1808 M")
expect(splice(p.r, nil, n, nil, 1048576, ""), 5000)
expect(splice(p.r, nil, n, nil, 1, "SPLICE_F_NONBLOCK"), "EAGAIN")
expect(ring(p), "head=3 tail=3")
