-- SPDX-License-Identifier: MIT
-- The fourth rung: one entry of the page table for 512 pages, and one reference count for all of them.
title("Rung 4: huge pages")
watch("The walk ends at a leaf of 2 MiB. A batch of sixteen pages costs one look and one addition to the count of the head page; the slots still point at sixteen pages.")
question("After a batch the head page's count is 17. What is it after the reader has dropped the first slot?")

local p = pipe{slots = 16}
local huge = buffer{size = "2M", huge = true, name = "huge"}
local out = null()

task("writer", function()
    for i = 0, 2 do
        local at = 0
        while at < 65536 do at = at + vmsplice(p.w, huge:at(i * 65536 + at, 65536 - at)) end
    end
    close(p.w)
end, {cpu = 0})

task("reader", function()
    repeat until splice(p.r, nil, out, nil, 65536) == 0
end, {cpu = 1})
