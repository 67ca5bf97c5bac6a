-- SPDX-License-Identifier: MIT
-- When the child that holds the last write end is gone, the reader sees the end of file.
local p = pipe()
local t = fork(function() return write(p.w, "abc") end)
expect(close(p.w), 0)
expect(run(t), 3)
expect(read(p.r, 100), 3)
expect(read(p.r, 100), 0)
