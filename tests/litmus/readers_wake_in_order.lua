-- SPDX-License-Identifier: MIT
-- One write wakes the first of three readers; a read that leaves data behind wakes the next.
local p = pipe()
local b = buffer("4K")
local t = {}
for i = 1, 3 do
    t[i] = task("reader " .. i, function() return read(p.r, 1) end)
    expect(run(t[i]), "blocked")
end
expect(write(p.w, b, 1), 1)
expect(run(t[2]), "blocked")
expect(run(t[3]), "blocked")
expect(run(t[1]), 1)
expect(write(p.w, b, 2), 2)
expect(run(t[2]), 1)
expect(run(t[3]), 1)
expect(fionread(p.r), 0)
