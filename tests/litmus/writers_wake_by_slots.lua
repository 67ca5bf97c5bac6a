-- SPDX-License-Identifier: MIT
-- Reading a part of a slot wakes no writer; a freed slot wakes one, two wake two.
kernel{min = "6.14"}
local p = pipe()
local b = buffer("64K")
expect(write(p.w, b, 65536), 65536)
local t = {}
for i = 1, 3 do
    t[i] = task("writer " .. i, function() return write(p.w, b, 4096) end)
    expect(run(t[i]), "blocked")
end
expect(read(p.r, 1), 1)
for i = 1, 3 do expect(run(t[i]), "blocked") end
expect(read(p.r, 4095), 4095)
expect(run(t[1]), 4096)
expect(run(t[2]), "blocked")
expect(run(t[3]), "blocked")
expect(read(p.r, 8192), 8192)
expect(run(t[2]), 4096)
expect(run(t[3]), 4096)
expect(fionread(p.r), 65536)
