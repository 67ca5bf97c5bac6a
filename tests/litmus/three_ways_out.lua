-- SPDX-License-Identifier: MIT
-- read, vmsplice and splice each take what a blocking pipe has, and a vmsplice in stops at the last slot.
local p, n, b, d = pipe(), null(), buffer("84K"), buffer("100K")
expect(write(p.w, b, 5000), 5000)
expect(read(p.r, d, 100000), 5000)
expect(write(p.w, b, 5000), 5000)
expect(vmsplice(p.r, d:at(0, 100000)), 5000)
expect(write(p.w, b, 5000), 5000)
expect(splice(p.r, nil, n, nil, 100000), 5000)
expect(vmsplice(p.w, b:at(100, 81920)), 65436)
expect(fionread(p.r), 65436)
