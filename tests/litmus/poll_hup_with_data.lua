-- SPDX-License-Identifier: MIT
-- When the last writer goes with data left, the read end shows both; when it is drained, HUP alone.
local p = pipe()
expect(write(p.w, "abc"), 3)
expect(close(p.w), 0)
expect(poll(p.r), "IN|HUP")
expect(read(p.r, 3), 3)
expect(poll(p.r), "HUP")
