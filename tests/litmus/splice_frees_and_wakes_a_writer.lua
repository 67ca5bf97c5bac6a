-- SPDX-License-Identifier: MIT
-- A splice out of a full pipe wakes a writer as soon as it freed a slot.
local p, n, b = pipe(), null(), buffer("64K")
expect(write(p.w, b, 65536), 65536)
local w = task("writer", function() return write(p.w, b, 100) end)
expect(run(w), "blocked")
expect(splice(p.r, nil, n, nil, 4095), 4095)
expect(run(w), "blocked")
expect(splice(p.r, nil, n, nil, 1), 1)
expect(run(w), 100)
