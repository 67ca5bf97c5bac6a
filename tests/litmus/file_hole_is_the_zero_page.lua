-- SPDX-License-Identifier: MIT
-- A hole of a file in memory is queued as the zero page, one slot a page, and stays a hole.
kernel{min = "6.6"}
local p, f = pipe{nonblock = true}, file{size = 10000, cached = false}
expect(splice(f, 0, p.w, nil, 8202), 8202)
expect(ring(p), "head=3 tail=0 | 0:z@0+4096 | 1:z@0+4096 | 2:z@0+10")
