-- SPDX-License-Identifier: MIT
-- Behind the last page of the file a mapping has nothing: reading there is EFAULT, and vmsplice stops before it.
local p, f = pipe{nonblock = true}, file{size = 5000}
local m = buffer{size = "16K", file = f}
expect(vmsplice(p.w, m), 8192)
expect(page(m, 0).present, true)
expect(page(m, 1).present, true)
expect(page(m, 2).present, false)
expect(vmsplice(p.w, m:at(8192, 4096)), "EFAULT")
expect(write(p.w, m:at(8192, 10)), "EFAULT")
expect(write_bytes(m, 8192, "x"), "EFAULT")
expect(fionread(p.r), 8192)
