-- SPDX-License-Identifier: MIT
-- Without a writer a read gives what is left, then 0; an empty pipe with a writer gives EAGAIN.
local p = pipe{nonblock = true}
expect(read(p.r, 1), "EAGAIN")
expect(read(p.r, 0), 0)
expect(write(p.w, "abcde"), 5)
close(p.w)
expect(read(p.r, 3), 3)
expect(read(p.r, 3), 2)
expect(read(p.r, 3), 0)
expect(read(p.r, 3), 0)
