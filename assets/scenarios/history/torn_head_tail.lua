-- SPDX-License-Identifier: MIT
local bug = kernel{version = "6.14-rc5", features = "torn-head-tail"}
title("A writer finds an empty ring full, and sleeps for ever")
watch("Two loads, head and then tail, with a write and a read in between: (u32)(head - tail) is four billion slots.")
question("Before 6.14 the loads were as far apart as here. Why did nobody notice for five years?")

local p, b = pipe{slots = 2}, buffer("16K")
expect(write(p.w, b, 8192), 8192) -- full: head 2, tail 0

local w = task("writer", function() return write(p.w, b, 4096) end)
-- Up to the first look, before it is on the queue. Two reads make room; nobody is there to be woken.
expect(run(w, "until", bug and "q_head" or "w_sleep"), bug and "q_head" or "w_sleep")
expect(read(p.r, 4096), 4096)

if bug then
    -- It has head = 2 in its register and does not know tail.
    expect(run(w, "until", "q_tail"), "q_tail")
    expect(read(p.r, 4096), 4096) -- tail 2: empty
    expect(write(p.w, b, 4096), 4096)
    expect(read(p.r, 4096), 4096) -- tail 3: 2 - 3 is not less than 2
    -- On the queue now it looks once more, and once more the others are quicker.
    expect(run(w, "until", "q_tail"), "q_tail")
    expect(write(p.w, b, 4096), 4096)
    expect(read(p.r, 4096), 4096)
    expect(run(w), "blocked")
    expect(ring(p), "head=4 tail=4") -- and whoever reads now sleeps as well
else
    expect(read(p.r, 4096), 4096)
    expect(run(w), 4096)
    expect(ring(p), "head=3 tail=2 | 0:k1@0+4096 M")
end
