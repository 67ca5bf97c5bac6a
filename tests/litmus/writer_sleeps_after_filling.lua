-- SPDX-License-Identifier: MIT
-- A long write wakes the waiting reader only when the ring is full, and goes to sleep itself.
local p = pipe()
local b = buffer("256K")
local r = task("reader", function() return read(p.r, 1) end)
local w = task("writer", function() return write(p.w, b, 200000) end)
expect(run(r), "blocked")
expect(run(w), "blocked")
expect(run(r), 1)
expect(fionread(p.r), 65535)
expect(run(w), "blocked")
