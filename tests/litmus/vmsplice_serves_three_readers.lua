-- SPDX-License-Identifier: MIT
-- vmsplice wakes one reader; three one-byte readers are served, each by the one before.
local p = pipe()
local m = buffer("16K")
local t = {}
for i = 1, 3 do
    t[i] = task("reader " .. i, function() return read(p.r, 1) end)
    expect(run(t[i]), "blocked")
end
expect(vmsplice(p.w, m:at(0, 12288)), 12288)
for i = 1, 3 do expect(run(t[i]), 1) end
expect(fionread(p.r), 12285)
