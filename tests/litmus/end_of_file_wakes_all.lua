-- SPDX-License-Identifier: MIT
-- Closing the last write end wakes every reader: all get 0.
local p = pipe()
local t = {}
for i = 1, 3 do
    t[i] = task("reader " .. i, function() return read(p.r, 1) end)
    expect(run(t[i]), "blocked")
end
expect(close(p.w), 0)
for i = 1, 3 do expect(run(t[i]), 0) end
