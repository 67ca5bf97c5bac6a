-- SPDX-License-Identifier: MIT
-- FOLL_PIN, as for a registered buffer, counts 1024 on a small page; vmsplice uses FOLL_GET, which counts one.
local p, b = pipe(), buffer("8K")
local before = page(b, 0).refcount
expect(pin_pages(b), 2)
expect(page(b, 0).refcount - before, 1024)
expect(page(b, 0).pincount, 1)
expect(vmsplice(p.w, b), 8192)
expect(page(b, 1).refcount - before, 1025)
expect(page(b, 1).pincount, 1)
expect(unpin_pages(b), 2)
expect(page(b, 0).refcount - before, 1)
expect(page(b, 0).pincount, 0)
expect(pin_pages(b:at(4096, 8192)), "EFAULT") -- all of it or nothing
expect(page(b, 1).pincount, 0)
