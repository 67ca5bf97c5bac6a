-- SPDX-License-Identifier: MIT
-- A huge page that was never touched: the huge zero page is mapped whole, and its parts are queued.
local p = pipe{nonblock = true, slots = 32}
local b = buffer{size = "2M", huge = true, touched = false}
expect(page(b, 0).present, false)
expect(vmsplice(p.w, b:at(0, 81920)), 81920)
expect(page(b, 0).present, true)
expect(page(b, 511).present, true)
expect(page(b, 0).zero, true)
expect(page(b, 0).huge, true)
