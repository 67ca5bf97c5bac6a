-- SPDX-License-Identifier: MIT
-- Without an offset the file's own position moves; with one it stays where it is.
local p, f, b = pipe{nonblock = true}, file{size = 41060}, buffer("4K")
expect(splice(f, nil, p.w, nil, 5), 5)
expect(splice(f, 100, p.w, nil, 5), 5)
expect(read(f, b:at(0, 3)), 3)
expect(bytes(b, 0, 3), "FGH")
