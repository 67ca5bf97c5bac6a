-- SPDX-License-Identifier: MIT
-- Twenty slots into a huge page: every reference is on its head.
local p = pipe{nonblock = true, slots = 32}
local b = buffer{size = "2M", huge = true, name = "b"}
expect(page(b, 0).refcount, 1)
expect(page(b, 0).huge, true)
expect(vmsplice(p.w, b:at(5 * 4096 + 100, 20 * 4096)), 20 * 4096)
expect(page(b, 0).refcount, 22)
expect(page(b, 511).refcount, 22)
expect(page(b, 511).tail, true)
local slots = {"0:b[5]@100+3996"}
for i = 1, 19 do slots[i + 1] = i .. ":b[" .. 5 + i .. "]@0+4096" end
slots[21] = "20:b[25]@0+100"
expect(ring(p), "head=21 tail=0 | " .. table.concat(slots, " | "))
expect(splice(p.r, nil, null(), nil, 1048576), 20 * 4096)
expect(page(b, 0).refcount, 1)
