-- SPDX-License-Identifier: MIT
-- Splicing to /dev/null drops bytes: whole slots are freed, a part moves the offset.
local p = pipe{nonblock = true}
local b = buffer("16K")
local out = null()
expect(write(p.w, b, 10000), 10000)
expect(splice(p.r, nil, out, nil, 5000), 5000)
expect(ring(p), "head=3 tail=1 | 1:k1@904+3192 M | 2:k2@0+1808 M")
expect(tmp_pages(p), 1)
expect(splice(p.r, nil, out, nil, 1048576), 5000)
expect(splice(p.r, nil, out, nil, 1), "EAGAIN") -- O_NONBLOCK of the pipe counts here
close(p.w)
expect(splice(p.r, nil, out, nil, 1), 0)
