-- SPDX-License-Identifier: MIT
local bug = kernel{version = "6.14", features = "slot-before-copy"}
title("A slot with nothing in it")
watch("Up to 6.14 head moves before the bytes are copied. Then the copy faults.")
question("poll says there is something to read, FIONREAD says 0. Which of the two is wrong?")

local p, b = pipe{nonblock = true}, buffer("4K")
munmap(b)
expect(write(p.w, b, 100), "EFAULT")
expect(ring(p), bug and "head=1 tail=0 | 0:k1@0+0 M" or "head=0 tail=0")
expect(poll(p.r), bug and "IN" or "")
expect(fionread(p.r), 0)
expect(read(p.r, 10), "EAGAIN") -- takes the empty slot away without a word
expect(ring(p), bug and "head=1 tail=1" or "head=0 tail=0")
