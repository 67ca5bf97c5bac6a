-- SPDX-License-Identifier: MIT
-- Of memory that asks for huge pages only whole, aligned 2 MiB get one; the edges stay small.
kernel{min = "6.14"} -- before, the table that MADV_DONTNEED emptied stayed, and with it small pages
local _, b = buffer("4K"), buffer("6M") -- begins 8 KiB behind a boundary
expect(madvise(b, "MADV_DONTNEED"), 0)
expect(madvise(b, "MADV_HUGEPAGE"), 0)
expect(touch(b), 0)
expect(walk(b, 0):match("-> .*"), "-> 4K")
expect(walk(b, (2 << 20) - 8192 - 1):match("-> .*"), "-> 4K")
expect(walk(b, (2 << 20) - 8192):match("-> .*"), "-> 2M")
expect(walk(b, (6 << 20) - 8192 - 1):match("-> .*"), "-> 2M")
expect(walk(b, (6 << 20) - 8192):match("-> .*"), "-> 4K")
