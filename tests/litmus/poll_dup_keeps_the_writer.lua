-- SPDX-License-Identifier: MIT
-- As long as a duplicate of the write end is open there is no HUP.
local p = pipe()
local d = dup(p.w)
expect(close(p.w), 0)
expect(poll(p.r), "")
expect(close(d), 0)
expect(poll(p.r), "HUP")
