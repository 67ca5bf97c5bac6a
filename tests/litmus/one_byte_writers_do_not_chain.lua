-- SPDX-License-Identifier: MIT
-- A writer that takes the last slot passes the wake-up on to nobody, though the next byte could be appended.
local p = pipe()
local b = buffer("64K")
expect(write(p.w, b, 65536), 65536)
local t = {}
for i = 1, 3 do
    t[i] = task("writer " .. i, function() return write(p.w, b, 1) end)
    expect(run(t[i]), "blocked")
end
expect(read(p.r, 4096), 4096)
expect(run(t[1]), 1)
expect(run(t[2]), "blocked")
expect(run(t[3]), "blocked")
expect(write(p.w, b, 1), 1) -- who does not sleep may append
expect(fionread(p.r), 61442)
