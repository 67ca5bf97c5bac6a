-- SPDX-License-Identifier: MIT
-- /dev/zero is read into fresh pages, which a write does not merge with.
kernel{min = "6.7"}
local p, z = pipe{nonblock = true}, zero()
expect(splice(z, nil, p.w, nil, 10000), 10000)
expect(write(p.w, "0123456789"), 10)
expect(fionread(p.r), 10010)
expect(ring(p), "head=4 tail=0 | 0:k1@0+4096 | 1:k2@0+4096 | 2:k3@0+1808 | 3:k4@0+10 M")
