-- SPDX-License-Identifier: MIT
-- A resize that changes nothing still starts the ring anew: tail 0, head n; spare pages stay.
local p = pipe{nonblock = true}
local b = buffer("32K")
expect(write(p.w, b, 32768), 32768)
expect(read(p.r, 12288), 12288)
local spare = tmp_pages(p)
expect(fcntl(p.w, "F_SETPIPE_SZ", 65536), 65536)
expect(ring(p), "head=5 tail=0 | 0:k1@0+4096 M | 1:k2@0+4096 M | 2:k3@0+4096 M | 3:k4@0+4096 M | 4:k5@0+4096 M")
expect(tmp_pages(p), spare)
expect(read(p.r, 20480), 20480)
expect(ring(p), "head=5 tail=5")
expect(fcntl(p.w, "F_SETPIPE_SZ", 65536), 65536)
expect(ring(p), "head=0 tail=0")
