-- SPDX-License-Identifier: MIT
-- A larger ring wakes one writer, who passes it on: all three get done.
local p, b = pipe(), buffer("64K")
expect(write(p.w, b, 65536), 65536)
local t = {}
for i = 1, 3 do
    t[i] = task("writer " .. i, function() return write(p.w, b, 4096) end)
    expect(run(t[i]), "blocked")
end
expect(fcntl(p.w, "F_SETPIPE_SZ", 131072), 131072)
for i = 1, 3 do expect(run(t[i]), 4096) end
expect(ring_size(p), 32)
