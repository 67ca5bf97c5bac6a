-- SPDX-License-Identifier: MIT
-- A writer that reads head and tail one after the other, in every order with what others do meanwhile.
title("A lost wake-up, or none")
watch("With --kernel 6.18+torn-head-tail the two loads of the writer that is about to sleep are apart. In between the ring is emptied, filled once and emptied again: to the writer it looks full. Nobody wakes it.")
question("Under plain 6.18 there is no such outcome. What makes one load of both enough?")

local p = pipe{slots = 2, packet = true}
write(p.w, "1")
write(p.w, "2") -- full

task("writer", function() return write(p.w, "3") end)
task("others", function()
    read(p.r, 1) -- a slot of the full ring is free; the writer is not on the queue yet
    read(p.r, 1)
    write(p.w, "4")
    read(p.r, 1)
    write(p.w, "5") -- and once more, when it looks again from the queue
    read(p.r, 1)
end)
