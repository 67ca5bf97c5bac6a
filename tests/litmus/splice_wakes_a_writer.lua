-- SPDX-License-Identifier: MIT
-- Splicing a slot away wakes a sleeping writer; a part of one does not.
local p = pipe{slots = 4}
local b = buffer("64K")
expect(write(p.w, b, 16384), 16384)
local w = task("writer", function() return write(p.w, b, 100) end)
expect(run(w), "blocked")
local n = null()
expect(splice(p.r, nil, n, nil, 4095), 4095)
expect(run(w), "blocked")
expect(splice(p.r, nil, n, nil, 1), 1)
expect(run(w), 100)
