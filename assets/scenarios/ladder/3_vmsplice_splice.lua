-- SPDX-License-Identifier: MIT
-- The third rung: nobody copies; only references go in and out.
title("Rung 3: vmsplice and splice")
watch("A slot is filled with a reference and emptied by dropping it. What is left is the walk through the page table, sixteen pages at a time, two changes of each page's count, and the mutex.")
question("The reference count of each page is changed by two CPUs in turn. Why does that cost more than changing it twice on one?")

local p = pipe{slots = 16}
local halves = {buffer{size = "64K", name = "one"}, buffer{size = "64K", name = "two"}}
local out = null()

task("writer", function()
    for i = 1, 3 do
        local half, at = halves[i % 2 + 1], 0
        while at < 65536 do at = at + vmsplice(p.w, half:at(at)) end
    end
    close(p.w)
end, {cpu = 0})

task("reader", function()
    repeat until splice(p.r, nil, out, nil, 65536) == 0
end, {cpu = 1})
