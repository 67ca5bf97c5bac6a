-- SPDX-License-Identifier: MIT
-- A new descriptor has the lowest free number.
local p = pipe()
expect(p.r, 3)
expect(p.w, 4)
close(p.r)
expect(dup(p.w), 3)
local q = pipe()
expect(q.r, 5)
expect(null(), 7)
