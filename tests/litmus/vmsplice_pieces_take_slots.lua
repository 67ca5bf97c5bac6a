-- SPDX-License-Identifier: MIT
-- Each piece takes a slot, adjacent ones too; a piece in a hole ends it.
local p, b = pipe{nonblock = true}, buffer("8K")
expect(vmsplice(p.w, {b:at(0, 10), b:at(10, 10), b:at(20, 10)}), 30)
expect(ring(p), "head=3 tail=0 | 0:b1[0]@0+10 | 1:b1[0]@10+10 | 2:b1[0]@20+10")
expect(vmsplice(p.w, {b:at(0, 100), b:at(8192, 50), b:at(0, 100)}), 100)
expect(vmsplice(p.w, {b:at(8192, 50), b:at(0, 100)}), "EFAULT")
expect(fionread(p.r), 130)
