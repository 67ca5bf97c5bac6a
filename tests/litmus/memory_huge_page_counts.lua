-- SPDX-License-Identifier: MIT
-- Twenty subpages of a huge page in a pipe are twenty references of the one huge page.
local p, b = pipe{slots = 32}, buffer{size = "2M", huge = true}
local before = page(b, 0).refcount
expect(vmsplice(p.w, b:at(5 * 4096 + 100, 20 * 4096)), 20 * 4096)
expect(page(b, 0).refcount - before, 21)
expect(page(b, 300).refcount - before, 21)
expect(fionread(p.r), 20 * 4096)
expect(read(p.r, 3996), 3996)
expect(page(b, 0).refcount - before, 20)
