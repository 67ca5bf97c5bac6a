-- SPDX-License-Identifier: MIT
-- A call holds its descriptor: closing the end it reads from takes effect when it returns.
local p = pipe()
local r = task("reader", function() return read(p.r, 10) end)
expect(run(r), "blocked")
expect(close(p.r), 0)
expect(write(p.w, "abc"), 3)
expect(run(r), 3)
expect(write(p.w, "abc"), "EPIPE")
