-- SPDX-License-Identifier: MIT
-- A splice from a file into a full pipe waits until a slot is free, then takes just that.
local p, f, b = pipe(), file{size = 200000}, buffer("64K")
expect(write(p.w, b, 65536), 65536)
local t = task("splicer", function() return splice(f, 0, p.w, nil, 100000) end)
expect(run(t), "blocked")
expect(read(p.r, 4095), 4095)
expect(run(t), "blocked")
expect(read(p.r, 1), 1)
expect(run(t), 4096)
