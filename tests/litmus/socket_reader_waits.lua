-- SPDX-License-Identifier: MIT
-- A reader of an empty socket sleeps until something arrives.
local s = socketpair()
local b = buffer("4K")

local r = task("reader", function() return read(s.b, 100) end)
expect(run(r), "blocked")
expect(write(s.a, b, 10), 10)
expect(run(r), 10)
