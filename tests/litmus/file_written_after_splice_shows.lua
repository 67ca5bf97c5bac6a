-- SPDX-License-Identifier: MIT
-- The pipe holds the file's page, not a copy: what is written to the file later is what the reader sees.
local p, q, f, b = pipe{nonblock = true}, pipe{nonblock = true}, file{size = 4096}, buffer("4K")
expect(splice(f, 0, p.w, nil, 4), 4)
expect(write(q.w, "zz"), 2)
expect(splice(q.r, nil, f, 1, 2), 2)
expect(read(p.r, b), 4)
expect(bytes(b, 0, 4), "AzzD")
