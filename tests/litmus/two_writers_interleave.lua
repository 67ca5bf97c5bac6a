-- SPDX-License-Identifier: MIT
-- Writes of more than a page may be mixed: each sleep lets the other in.
local p = pipe{slots = 2}
local a, b, d = buffer("16K"), buffer("16K"), buffer("16K")
write_bytes(a, 0, "A") write_bytes(a, 4096, "A") write_bytes(a, 8192, "A")
write_bytes(b, 0, "B") write_bytes(b, 4096, "B")
local w1 = task("writer A", function() return write(p.w, a, 12288) end)
local w2 = task("writer B", function() return write(p.w, b, 8192) end)
expect(run(w1), "blocked")
expect(run(w2), "blocked")
local order = ""
for _ = 1, 5 do
    expect(read(p.r, d, 4096), 4096)
    order = order .. bytes(d, 0, 1)
end
expect(order, "AAABB")
expect(run(w1), 12288)
expect(run(w2), 8192)
