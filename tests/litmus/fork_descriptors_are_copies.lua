-- SPDX-License-Identifier: MIT
-- What a child opens after the fork is its own: the same number means nothing to the parent.
local p = pipe()
local t = fork(function() return dup(p.w) end)
expect(run(t), 5)
expect(write(5, "x"), "EBADF")
