-- SPDX-License-Identifier: MIT
-- A copy goes by the TLB: each page is missed once and found from then on; unmapping makes every CPU forget.
local p, b, h = pipe(), buffer("16K"), buffer{size = "2M", huge = true}
local before = tlb()
expect(write(p.w, b), 16384)
expect(tlb().misses - before.misses, 4)
expect(write(p.w, b), 16384)
expect(tlb().misses - before.misses, 4)
expect(tlb().hits - before.hits, 4)
expect(write(p.w, h, 16384), 16384)     -- one entry for 2 MiB
expect(tlb().misses - before.misses, 5)
expect(vmsplice(p.w, b), 16384)         -- looks up in software
expect(tlb().misses - before.misses, 5)
expect(mprotect(b:at(0, 4096), "read"), 0)
expect(tlb().invlpgs - before.invlpgs, 1)
