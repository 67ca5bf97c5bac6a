-- SPDX-License-Identifier: MIT
-- A splice from a file queues the pages of the page cache themselves, one slot a page.
local p, f = pipe{nonblock = true}, file{size = 41060}
expect(splice(f, 0, p.w, nil, 10000), 10000)
expect(fionread(p.r), 10000)
expect(ring(p), "head=3 tail=0 | 0:f1[0]@0+4096 | 1:f1[1]@0+4096 | 2:f1[2]@0+1808")
