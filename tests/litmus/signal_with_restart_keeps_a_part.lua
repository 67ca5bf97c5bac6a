-- SPDX-License-Identifier: MIT
-- What is partly done is not resumed, SA_RESTART or not: the part is the result.
local p, b = pipe(), buffer("100K")
local t = task("writer", function() local n = write(p.w, b, 100000) return n, signals() end)
expect(run(t), "blocked")
expect(kill(t, "SIGUSR2"), 0)
local n, s = run(t)
expect(n, 65536)
expect(s, "SIGUSR2")
