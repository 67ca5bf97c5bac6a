-- SPDX-License-Identifier: MIT
local copies = kernel{version = "vmsplice-copy", features = "vmsplice-copy"}
title("What if vmsplice copied? (a proposal of 2026)")
watch("Whose pages are in the ring, and what a store after the call changes.")
question("Four programs in five would not notice. What do you lose if yours is the fifth?")

local p, b, d = pipe(), buffer{size = "64K", name = "b"}, buffer("4K")
write_bytes(b, 0, "before")
expect(vmsplice(p.w, b:at(0, 100), "SPLICE_F_GIFT"), 100)
expect(vmsplice(p.w, b:at(0, 100)), 100)
expect(ring(p), copies and "head=1 tail=0 | 0:k1@0+200 M" or "head=2 tail=0 | 0:b[0]@0+100 G | 1:b[0]@0+100")
write_bytes(b, 0, "after!")
expect(read(p.r, d, 6), 6)
expect(bytes(d, 0, 6), copies and "before" or "after!")
expect(read(p.r, d, 194), 194)

-- A copy fills the ring and waits for more room; a mapping is queued as far as there are slots.
expect(vmsplice(p.w, b), 65536)
local t = task("more", function() return vmsplice(p.w, {b:at(0, 4096), b:at(0, 4096)}) end)
expect(run(t), "blocked")
expect(read(p.r, 4096), 4096)
expect(run(t), copies and "blocked" or 4096)
