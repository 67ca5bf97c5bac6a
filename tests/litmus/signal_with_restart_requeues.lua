-- SPDX-License-Identifier: MIT
-- A reader that a handler sent back to its call waits behind those that came meanwhile.
local p = pipe()
local a = task("a", function() return read(p.r, 1) end)
local b = task("b", function() return read(p.r, 1) end)
expect(run(a), "blocked")
expect(run(b), "blocked")
expect(kill(a, "SIGUSR2"), 0)
expect(write(p.w, "x"), 1)
expect(run(b), 1)
expect(run(a), "blocked")
