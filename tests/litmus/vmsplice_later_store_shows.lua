-- SPDX-License-Identifier: MIT
-- What the writer stores after vmsplice is what the reader gets: no copy was made.
local p = pipe{nonblock = true}
local b, d = buffer("4K"), buffer("4K")
write_bytes(b, 0, "1111")
expect(vmsplice(p.w, b:at(0, 4)), 4)
write_bytes(b, 0, "2")
expect(read(p.r, d, 4), 4)
expect(bytes(d, 0, 4), "2111")
