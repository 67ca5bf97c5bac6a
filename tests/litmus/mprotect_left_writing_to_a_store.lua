-- SPDX-License-Identifier: MIT
-- mprotect left the entry of a page read-only, exclusive or not; the next store found that out.
kernel{max = "5.19"}
local b = buffer("4K")
expect(mprotect(b, "read"), 0)
expect(mprotect(b, "rw"), 0)
expect(entry(b, 0):find(" RW ", 1, true), nil)
write_bytes(b, 0, "x")
expect(entry(b, 0):find(" RW ", 1, true) ~= nil, true)
