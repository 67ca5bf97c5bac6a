-- SPDX-License-Identifier: MIT
-- A splice to /dev/null drops bytes: a slot that is not used up stays, further on.
local p, n, b = pipe{nonblock = true}, null(), buffer("12K")
expect(write(p.w, b, 10000), 10000)
expect(splice(p.r, nil, n, nil, 5000), 5000)
expect(ring(p), "head=3 tail=1 | 1:k1@904+3192 M | 2:k2@0+1808 M")
expect(splice(p.r, nil, n, nil, 1048576), 5000)
expect(splice(p.r, nil, n, nil, 1), "EAGAIN")
