-- SPDX-License-Identifier: MIT
-- A signal ends a write that sleeps with part of it done: that part is the result.
local p, b = pipe(), buffer("100K")
local t = task("writer", function() local n = write(p.w, b, 100000) return n, signals() end)
expect(run(t), "blocked")
expect(kill(t, "SIGUSR1"), 0)
local n, s = run(t)
expect(n, 65536)
expect(s, "SIGUSR1")
