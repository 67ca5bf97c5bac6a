-- SPDX-License-Identifier: MIT
-- Up to 5.17 a splice that filled the ring had already got the next page of a hole: it is in the page cache, and a fault maps it.
kernel{max = "5.17"}
local p, f = pipe{nonblock = true}, file{size = 131072, cached = false}
local m = buffer{size = "128K", file = f}
expect(splice(f, 4000, p.w, nil, 65536), 61536) -- 96 bytes and 15 pages
expect(bytes(m, 0, 1), "\0")
expect(page(m, 16).present, false)
expect(bytes(m, 65536 + 4096, 1), "\0") -- maps what is cached around it
expect(page(m, 16).present, true)
expect(page(m, 18).present, false)
