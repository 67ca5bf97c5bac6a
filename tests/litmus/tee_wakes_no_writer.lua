-- SPDX-License-Identifier: MIT
-- tee takes nothing, so it wakes no writer of its input; but it wakes readers of its output.
local p, q, b = pipe(), pipe(), buffer("64K")
expect(write(p.w, b, 65536), 65536)
local w = task("writer", function() return write(p.w, b, 4096) end)
local r = task("reader", function() return read(q.r, 1) end)
expect(run(w), "blocked")
expect(run(r), "blocked")
expect(tee(p.r, q.w, 4096), 4096)
expect(run(w), "blocked")
expect(run(r), 1)
