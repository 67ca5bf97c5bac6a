-- SPDX-License-Identifier: MIT
-- Three pages spliced in serve three one-byte readers in the order in which they came.
local p, b, order = pipe(), buffer("12K"), {}
local t = {}
for i = 1, 3 do
    t[i] = task("reader " .. i, function() return read(p.r, 4096) end)
    expect(run(t[i]), "blocked")
end
expect(vmsplice(p.w, b), 12288)
for i = 1, 3 do expect(run(t[i]), 4096) end
