-- SPDX-License-Identifier: MIT
-- Splice from an empty socket sleeps with the pipe's mutex held: a writer of the pipe waits for both.
local s = socketpair()
local p = pipe()
local b = buffer("4K")

local f = task("forwarder", function() return splice(s.b, p.w, 4096) end)
expect(run(f), "blocked")
local w = task("writer", function() return write(p.w, b, 5) end)
expect(run(w), "blocked")
expect(write(s.a, b, 10), 10)
expect(run(f), 10)
expect(run(w), 5)
expect(fionread(p.r), 15)
