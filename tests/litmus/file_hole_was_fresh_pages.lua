-- SPDX-License-Identifier: MIT
-- From 5.18 to 6.4 a hole came as zeros in fresh pages, one behind the other wherever the hole began.
kernel{min = "5.18", max = "6.4"}
local p, f = pipe{nonblock = true}, file{size = 10000, cached = false}
expect(splice(f, 0, p.w, nil, 8202), 8202)
expect(ring(p), "head=3 tail=0 | 0:k1@0+4096 | 1:k2@0+4096 | 2:k3@0+10")
expect(read(p.r, 8202), 8202)
expect(splice(f, 4000, p.w, nil, 200), 200)
expect(ring(p), "head=4 tail=3 | 3:k1@0+200")
