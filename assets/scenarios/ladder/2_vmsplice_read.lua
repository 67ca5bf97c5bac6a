-- SPDX-License-Identifier: MIT
-- The second rung: the writer gives its pages away by reference, the reader still copies.
title("Rung 2: vmsplice and read")
watch("vmsplice walks the page table and puts the buffer's own pages into slots: nothing is copied, allocated or freed on this side. The reader copies out of the writer's pages.")
question("What must the writer not do until the reader is through with a page?")

local p = pipe{slots = 16}
local halves = {buffer{size = "64K", name = "one"}, buffer{size = "64K", name = "two"}}
local dst = buffer{size = "64K", name = "dst"}

task("writer", function()
    for i = 1, 3 do
        local half, at = halves[i % 2 + 1], 0
        while at < 65536 do at = at + vmsplice(p.w, half:at(at)) end
    end
    close(p.w)
end, {cpu = 0})

task("reader", function()
    repeat until read(p.r, dst) == 0
end, {cpu = 1})
