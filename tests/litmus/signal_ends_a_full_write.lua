-- SPDX-License-Identifier: MIT
-- A signal ends a write that has done nothing yet with EINTR.
local p, b = pipe(), buffer("64K")
expect(write(p.w, b, 65536), 65536)
local t = task("writer", function() return write(p.w, b, 100) end)
expect(run(t), "blocked")
expect(kill(t, "SIGUSR1"), 0)
expect(run(t), "EINTR")
expect(fionread(p.r), 65536)
