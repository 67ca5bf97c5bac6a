-- SPDX-License-Identifier: MIT
-- Up to 6.14 one page is kept of all that a long read or several packets give back, and a resize keeps it.
kernel{max = "6.14"}
local p, b = pipe{nonblock = true}, buffer("32K")
expect(write(p.w, b), 32768)
expect(read(p.r, 12288), 12288)
expect(tmp_pages(p), 1)
expect(fcntl(p.w, "F_SETPIPE_SZ", 65536), 65536)
expect(tmp_pages(p), 1)
local q = pipe{nonblock = true, packet = true}
for _ = 1, 3 do expect(write(q.w, b, 10), 10) end
for _ = 1, 3 do expect(read(q.r, 4096), 10) end
expect(tmp_pages(q), 1)
