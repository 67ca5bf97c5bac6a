-- SPDX-License-Identifier: MIT
-- A reader that a signal took off the queue does not take the byte meant for the next one.
local p = pipe()
local a = task("a", function() return read(p.r, 1) end)
local b = task("b", function() return read(p.r, 1) end)
expect(run(a), "blocked")
expect(run(b), "blocked")
expect(kill(a, "SIGUSR1"), 0)
expect(run(a), "EINTR")
expect(write(p.w, "x"), 1)
expect(run(b), 1)
