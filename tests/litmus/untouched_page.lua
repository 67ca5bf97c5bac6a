-- SPDX-License-Identifier: MIT
-- Memory that was never touched maps nothing; reading it maps the zero page, writing a page of its own.
local u = buffer{size = "12K", touched = false}
expect(page(u, 0).present, false)
expect(walk(u, 0):match("-> .*"), "-> none")
expect(bytes(u, 0, 1), "\0")
expect(page(u, 0).present, true)
expect(page(u, 0).zero, true)
expect(page(u, 0).mapcount, 0)
write_bytes(u, 4096, "x")
expect(page(u, 1).zero, false)
expect(page(u, 1).refcount, 1)
expect(page(u, 2).present, false)
