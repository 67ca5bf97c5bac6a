-- SPDX-License-Identifier: MIT
-- A slot that was read in part still takes more, as far as its page has room behind it.
local p = pipe{nonblock = true}
local b = buffer("16K")
expect(write(p.w, b, 3797), 3797)
expect(read(p.r, 97), 97)
expect(write(p.w, b, 299), 299)
expect(write(p.w, b, 97), 97)
expect(ring(p), "head=2 tail=0 | 0:k1@97+3999 M | 1:k2@0+97 M")
expect(fionread(p.r), 4096)
