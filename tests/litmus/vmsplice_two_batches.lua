-- SPDX-License-Identifier: MIT
-- More than 16 pages go in batches of 16: 32 slots are filled by one call.
local p = pipe{nonblock = true, slots = 32}
local b = buffer{size = "256K", name = "b"}
expect(vmsplice(p.w, b:at(50, 69632)), 69632)
local slots = {"0:b[0]@50+4046"}
for i = 1, 16 do slots[i + 1] = i .. ":b[" .. i .. "]@0+4096" end
slots[18] = "17:b[17]@0+50"
expect(ring(p), "head=18 tail=0 | " .. table.concat(slots, " | "))
expect(vmsplice(p.w, b), 14 * 4096) -- the rest
expect(page(b, 20).refcount, 1)     -- pages that found no slot were given back
