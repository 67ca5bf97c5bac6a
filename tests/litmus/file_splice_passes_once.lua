-- SPDX-License-Identifier: MIT
-- One splice from a file fills the ring and comes back: it does not wait for more room.
local p, f = pipe(), file{size = 200000}
expect(splice(f, 0, p.w, nil, 200000), 65536)
expect(fionread(p.r), 65536)
