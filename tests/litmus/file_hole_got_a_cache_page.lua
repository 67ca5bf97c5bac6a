-- SPDX-License-Identifier: MIT
-- Up to 5.17 reading a hole of a file in memory gave it a page in the page cache, and that one is queued.
kernel{max = "5.17"}
local p, f = pipe{nonblock = true}, file{size = 10000, cached = false}
expect(splice(f, 0, p.w, nil, 8202), 8202)
expect(ring(p), "head=3 tail=0 | 0:f1[0]@0+4096 | 1:f1[1]@0+4096 | 2:f1[2]@0+10")
