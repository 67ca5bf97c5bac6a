-- SPDX-License-Identifier: MIT
-- Memory that may be written but not read can be spliced once its page is there.
local p, b = pipe{nonblock = true}, buffer("4K")
expect(mprotect(b, "write"), 0)
expect(vmsplice(p.w, b:at(0, 10)), 10)
