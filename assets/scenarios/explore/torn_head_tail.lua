-- SPDX-License-Identifier: MIT
-- A writer that reads head and tail one after the other, in every order with two others.
title("A lost wake-up, or none")
watch("With --kernel 6.18+torn-head-tail the sleeping writer's two loads are apart: between them the ring can be filled and emptied, so that it looks full and is empty. Nobody wakes it.")
question("Under plain 6.18 there is no such outcome. What makes the one load enough?")

local p = pipe{slots = 1}

task("writer", function() return write(p.w, "ab", 2) + write(p.w, "cd", 2) end)
task("other", function() return write(p.w, "e", 1) end)
task("reader", function()
    local n = 0
    while n < 5 do n = n + read(p.r, 4096) end
    return n
end)
