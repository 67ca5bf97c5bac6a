-- SPDX-License-Identifier: MIT
-- A blocking write goes to sleep as often as the ring is full; it is woken by a freed slot, not by bytes.
local p = pipe{slots=4}
local b = buffer("64K")
local w = task("writer", function() return write(p.w, b, 20000) end)
expect(run(w), "blocked")
expect(fionread(p.r), 16384)
expect(read(p.r, 4095), 4095)
expect(run(w), "blocked")
expect(read(p.r, 1), 1)
expect(run(w), 20000)
expect(fionread(p.r), 15904)
