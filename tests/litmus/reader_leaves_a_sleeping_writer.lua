-- SPDX-License-Identifier: MIT
-- The last reader closes while a write sleeps half done: it gives what it wrote, and SIGPIPE comes once.
local p = pipe()
local b = buffer("128K")
local w = task("writer", function()
    local n = write(p.w, b, 100000)
    return n, signals(), signals()
end)
expect(run(w), "blocked")
expect(close(p.r), 0)
local n, first, second = run(w)
expect(n, 65536)
expect(first, "SIGPIPE")
expect(second, "")
expect(signals(), "") -- the signal is the writer's alone
