-- SPDX-License-Identifier: MIT
-- Five levels: below 47 bits only the first entry of the pgd is ever used, and the p4d is a table of its own.
kernel{levels = 5}
local b = buffer("8K")
expect(walk(b, 4096), "pgd[0] p4d[252] pud[232] pmd[0] pte[1] -> 4K")
local h = buffer{size = "2M", huge = true}
expect(walk(h, 0):match("pgd%[0%] p4d%[252%] pud%[%d+%] pmd%[%d+%] %-> 2M") ~= nil, true)
