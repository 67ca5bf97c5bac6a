-- SPDX-License-Identifier: MIT
-- A splice between pipes wakes a reader of its output, even if it moved a part of a slot only.
local p, q = pipe(), pipe()
expect(write(p.w, "abcdef"), 6)
local r = task("reader", function() return read(q.r, 100) end)
expect(run(r), "blocked")
expect(splice(p.r, nil, q.w, nil, 2), 2)
expect(run(r), 2)
