-- SPDX-License-Identifier: MIT
-- Nobody waits for more once something is there: read, vmsplice and splice give what there is.
local p = pipe()
local b, d = buffer("128K"), buffer("128K")
local n = null()
expect(write(p.w, b, 5000), 5000)
expect(read(p.r, 100000), 5000)
expect(write(p.w, b, 5000), 5000)
expect(vmsplice(p.r, d:at(0, 100000)), 5000)
expect(write(p.w, b, 5000), 5000)
expect(splice(p.r, nil, n, nil, 100000), 5000)
expect(vmsplice(p.w, b:at(100, 81920)), 65436)
expect(fionread(p.r), 65436)
