-- SPDX-License-Identifier: MIT
-- A writer that found its send buffer full is woken once no more than a quarter of it is in use.
local s = socketpair()
local b = buffer("1M")

local w = task("writer", function() return write(s.a, b, 1048576) end)
expect(run(w), "blocked")
local got = 0
while got < 1048576 do got = got + read(s.b, 65536) end
expect(run(w), 1048576)
