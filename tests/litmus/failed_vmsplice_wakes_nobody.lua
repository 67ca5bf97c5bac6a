-- SPDX-License-Identifier: MIT
-- A vmsplice from a hole and a write of nothing leave the readers asleep, in their order.
local p, b = pipe(), buffer("4K")
local t = {}
for i = 1, 3 do
    t[i] = task("reader " .. i, function() return read(p.r, 1) end)
    expect(run(t[i]), "blocked")
end
expect(vmsplice(p.w, b:at(4096, 10)), "EFAULT")
expect(write(p.w, b, 0), 0)
for i = 1, 3 do expect(run(t[i]), "blocked") end
for i = 1, 3 do
    expect(write(p.w, "x"), 1)
    expect(run(t[i]), 1)
end
