-- SPDX-License-Identifier: MIT
-- vmsplice from a hole and a write of 0 bytes wake nobody: the queue stays as it was.
local p = pipe()
local b = buffer("4K")
local t = {}
for i = 1, 2 do
    t[i] = task("reader " .. i, function() return read(p.r, 1) end)
    expect(run(t[i]), "blocked")
end
expect(vmsplice(p.w, b:at(4096, 10)), "EFAULT")
expect(write(p.w, b, 0), 0)
expect(write(p.w, b, 1), 1)
expect(run(t[1]), 1)
expect(run(t[2]), "blocked")
