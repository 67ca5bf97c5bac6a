-- SPDX-License-Identifier: MIT
-- Each mapping of a file's page is one reference and one map count more; munmap gives both back.
local f = file{size = 4096}
local a = buffer{size = "4K", file = f, shared = true}
local b = buffer{size = "4K", file = f}
touch(a)
expect(page(a, 0).refcount, 2)
bytes(b, 0, 1)
expect(page(a, 0).refcount, 3)
expect(page(a, 0).mapcount, 2)
expect(munmap(b), 0)
expect(page(a, 0).refcount, 2)
expect(page(a, 0).mapcount, 1)
