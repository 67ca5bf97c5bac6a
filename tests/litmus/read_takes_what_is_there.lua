-- SPDX-License-Identifier: MIT
-- A read of a full pipe with a writer asleep gives the 16 pages; the writer adds its own afterwards.
local p = pipe()
local b = buffer("64K")
expect(write(p.w, b, 65536), 65536)
local w = task("writer", function() return write(p.w, b, 4096) end)
expect(run(w), "blocked")
expect(read(p.r, 100000), 65536)
expect(run(w), 4096)
expect(fionread(p.r), 4096)
