-- SPDX-License-Identifier: MIT
-- Free slots count as whole pages: from an unaligned offset a full ring holds less than its size.
local p, f = pipe{nonblock = true}, file{size = 41060}
expect(fcntl(p.w, "F_SETPIPE_SZ", 8192), 8192)
expect(splice(f, 100, p.w, nil, 200000), 8092)
expect(splice(f, 0, p.w, nil, 10), "EAGAIN")
expect(ring(p), "head=2 tail=0 | 0:f1[0]@100+3996 | 1:f1[1]@0+4096")
