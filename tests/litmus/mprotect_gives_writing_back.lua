-- SPDX-License-Identifier: MIT
-- mprotect lets an exclusive page be written at once: no store has to fault for it.
kernel{min = "6.0"}
local b = buffer("4K")
expect(mprotect(b, "read"), 0)
expect(entry(b, 0):find(" RW ", 1, true), nil)
expect(mprotect(b, "rw"), 0)
expect(entry(b, 0):find(" RW ", 1, true) ~= nil, true)
