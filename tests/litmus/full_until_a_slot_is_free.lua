-- SPDX-License-Identifier: MIT
-- A slot counts until its last byte is read; then one page goes in, not more.
local p = pipe{nonblock = true}
local b = buffer("128K")
expect(write(p.w, b, 100000), 65536)
expect(write(p.w, b, 1), "EAGAIN")
expect(read(p.r, 4095), 4095)
expect(write(p.w, b, 1), "EAGAIN")
expect(read(p.r, 1), 1)
expect(write(p.w, b, 4097), 4096)
expect(fionread(p.r), 65536)
local slots = {}
for i = 1, 16 do slots[i] = (i % 16) .. ":k" .. i .. "@0+4096 M" end
expect(ring(p), "head=17 tail=1 | " .. table.concat(slots, " | "))
