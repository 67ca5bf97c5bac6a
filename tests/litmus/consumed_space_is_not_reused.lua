-- SPDX-License-Identifier: MIT
-- Bytes read from the front of a page never come back: offset + len must fit, not len.
local p = pipe{slots=1, nonblock=true}
local b = buffer("8K")
expect(write(p.w, b, 4000), 4000)
expect(read(p.r, 3999), 3999)
expect(write(p.w, b, 96), 96)
expect(write(p.w, b, 1), "EAGAIN")
expect(ring(p), "head=1 tail=0 | 0:k1@3999+97 M")
