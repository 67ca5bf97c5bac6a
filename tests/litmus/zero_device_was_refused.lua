-- SPDX-License-Identifier: MIT
-- From 5.10 to 6.6 /dev/zero could not be spliced, neither from nor to, whatever the pipe held.
kernel{min = "5.10", max = "6.6"}
local p, z = pipe{nonblock = true}, zero()
expect(splice(z, nil, p.w, nil, 10000), "EINVAL")
expect(splice(p.r, nil, z, nil, 100), "EINVAL")
expect(write(p.w, "0123456789"), 10)
expect(ring(p), "head=1 tail=0 | 0:k1@0+10 M")
expect(splice(p.r, nil, z, nil, 100), "EINVAL")
expect(fionread(p.r), 10)
