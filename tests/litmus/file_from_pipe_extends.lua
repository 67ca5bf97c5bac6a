-- SPDX-License-Identifier: MIT
-- A splice to a file copies, moves the file's position and lengthens it.
local p, q, f, b = pipe{nonblock = true}, pipe{nonblock = true}, file{size = 10}, buffer("4K")
expect(write(p.w, "hello"), 5)
expect(splice(p.r, nil, f, 8, 5), 5)
expect(fionread(p.r), 0)
expect(splice(f, 0, q.w, nil, 100), 13)
expect(read(q.r, b), 13)
expect(bytes(b, 0, 13), "ABCDEFGHhello")
