-- SPDX-License-Identifier: MIT
-- A write that faults on an empty pipe wakes a reader for nothing, who loses its place.
kernel{min = "5.15"}
local p = pipe()
local b = buffer("4K")
local t = {}
for i = 1, 3 do
    t[i] = task("reader " .. i, function() return read(p.r, 1) end)
    expect(run(t[i]), "blocked")
end
expect(write(p.w, b:at(4096), 10), "EFAULT")
for i = 1, 3 do expect(run(t[i]), "blocked") end
expect(write(p.w, b, 1), 1)
expect(run(t[2]), 1)
expect(write(p.w, b, 1), 1)
expect(run(t[3]), 1)
expect(run(t[1]), "blocked")
