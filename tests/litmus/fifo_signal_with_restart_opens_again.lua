-- SPDX-License-Identifier: MIT
-- An open that waits for a partner is made again after a handler with SA_RESTART, and counts as a new one.
local f = fifo()
local r = task("r", function() return open(f, "r") end)
expect(run(r), "blocked")
expect(kill(r, "SIGUSR2"), 0)
expect(run(r), "blocked")
expect(open(f, "w", "nonblock"), 3) -- somebody is there to read
expect(run(r), 4)
