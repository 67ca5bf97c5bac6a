-- SPDX-License-Identifier: MIT
-- A sleeping read returns with what the first write brings, however much it asked for.
local p = pipe()
local d = buffer("8K")
local r = task("reader", function() return read(p.r, d, 8192) end)
expect(run(r), "blocked")
expect(write(p.w, "one"), 3)
expect(write(p.w, "two"), 3)
expect(run(r), 3)
expect(bytes(d, 0, 3), "one")
expect(fionread(p.r), 3)
