-- SPDX-License-Identifier: MIT
-- A splice from a file wakes readers, and its pages serve one after another.
local p, f = pipe(), file{size = 200000}
local a = task("first", function() return read(p.r, 1) end)
local b = task("second", function() return read(p.r, 1) end)
expect(run(a), "blocked")
expect(run(b), "blocked")
expect(splice(f, 0, p.w, nil, 2), 2)
expect(run(a), 1)
expect(run(b), 1)
