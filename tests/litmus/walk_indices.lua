-- SPDX-License-Identifier: MIT
-- The indices are nine bits of the address each: the same on the model and in a real process.
local b = buffer("2M")
expect(walk(b, 0), "pgd[252] pud[232] pmd[0] pte[0] -> 4K")
expect(walk(b, 4096 * 511), "pgd[252] pud[232] pmd[0] pte[511] -> 4K")
local h = buffer{size = "4M", huge = true}
expect(walk(h, 0), "pgd[252] pud[232] pmd[2] -> 2M")
expect(walk(h, 4194303), "pgd[252] pud[232] pmd[3] -> 2M")
