-- SPDX-License-Identifier: MIT
-- A writer tries to append once, before it sleeps: woken, its byte takes a slot of its own.
local p = pipe{slots = 2}
local b = buffer("64K")
expect(write(p.w, b, 4096), 4096)
expect(write(p.w, b, 4096), 4096)
local w = task("writer", function() return write(p.w, b, 1) end)
expect(run(w), "blocked")
expect(read(p.r, 4096), 4096)
expect(run(w), 1)
expect(ring(p), "head=3 tail=1 | 1:k1@0+4096 M | 0:k2@0+1 M")
