-- SPDX-License-Identifier: MIT
-- A page in two pipes becomes a spare one of the pipe that gives it back last.
local p, q, b = pipe{nonblock = true}, pipe{nonblock = true}, buffer("4K")
expect(write(p.w, b, 4096), 4096)
expect(tee(p.r, q.w, 4096), 4096)
expect(read(p.r, 4096), 4096)
expect(read(q.r, 4096), 4096)
expect(tmp_pages(p), 0)
expect(tmp_pages(q), 1)
