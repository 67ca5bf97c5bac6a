-- SPDX-License-Identifier: MIT
-- Between two files sendfile copies by way of a pipe of its own.
local f, g, b = file{size = 9000}, file{size = 0}, buffer("4K")
expect(sendfile(g, f, 100, 8000), 8000)
expect(sendfile(g, f, 8990, 100), 10)
expect(read(f, b:at(0, 1)), 1)
expect(bytes(b, 0, 1), "A")
