-- SPDX-License-Identifier: MIT
-- A splice from /dev/zero takes what the free slots hold, and EAGAIN when there is none.
kernel{min = "6.7"}
local p, z, n = pipe{nonblock = true}, zero(), null()
expect(splice(z, nil, p.w, nil, 1048576), 65536)
expect(splice(z, nil, p.w, nil, 1), "EAGAIN")
expect(splice(p.r, nil, n, nil, 100), 100)
expect(splice(z, nil, p.w, nil, 1), "EAGAIN")
expect(splice(p.r, nil, n, nil, 3996), 3996)
expect(splice(z, nil, p.w, nil, 1048576), 4096)
expect(fionread(p.r), 65536)
