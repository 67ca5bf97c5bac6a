-- SPDX-License-Identifier: MIT
-- A signal ends an open that waits for its partner, and no end is left behind.
local f = fifo()
local t = task("writer", function() return open(f, "w") end)
expect(run(t), "blocked")
expect(kill(t, "SIGUSR1"), 0)
expect(run(t), "EINTR")
local r = open(f, "r", "nonblock")
expect(poll(r), "")
