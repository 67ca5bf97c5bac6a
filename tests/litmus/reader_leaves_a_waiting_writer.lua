-- SPDX-License-Identifier: MIT
-- The last reader closes while a writer waits for its first byte: EPIPE and SIGPIPE.
local p = pipe()
local b = buffer("64K")
expect(write(p.w, b, 65536), 65536)
local w = task("writer", function()
    local n = write(p.w, b, 100)
    return n, signals()
end)
expect(run(w), "blocked")
expect(close(p.r), 0)
local n, first = run(w)
expect(n, "EPIPE")
expect(first, "SIGPIPE")
