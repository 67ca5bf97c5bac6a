-- SPDX-License-Identifier: MIT
-- A read behind the end of the file fails, but what lies around it in the file has been mapped by then.
local p, f = pipe{nonblock = true}, file{size = 5000}
local m = buffer{size = "16K", file = f}
expect(write(p.w, m:at(8192, 10)), "EFAULT")
expect(page(m, 1).present, true)
expect(page(m, 1).mapcount, 1)
