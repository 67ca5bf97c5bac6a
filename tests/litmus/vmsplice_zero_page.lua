-- SPDX-License-Identifier: MIT
-- Memory that was never touched gives the zero page, again and again; a later store does not show.
local p = pipe{nonblock = true}
local b = buffer{size = "16K", touched = false, name = "b"}
local d = buffer("4K")
expect(vmsplice(p.w, b:at(0, 8192)), 8192)
expect(ring(p), "head=2 tail=0 | 0:z@0+4096 | 1:z@0+4096")
expect(page(b, 0).zero, true)
expect(page(b, 1).zero, true)
expect(page(b, 2).present, false)
write_bytes(b, 0, "Z")
expect(page(b, 0).zero, false)
expect(page(b, 1).zero, true)
expect(ring(p), "head=2 tail=0 | 0:z@0+4096 | 1:z@0+4096")
expect(read(p.r, d, 1), 1)
expect(bytes(d, 0, 1), "\0")
expect(fionread(p.r), 8191)
