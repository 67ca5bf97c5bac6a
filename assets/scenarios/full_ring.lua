-- SPDX-License-Identifier: MIT
-- Slots count, not bytes: sixteen packets of one byte fill a pipe that could hold 65536.
title("A full pipe with sixteen bytes in it")
watch("In packet mode each write takes a slot of its own. The seventeenth finds the ring full and sleeps until a slot is free.")
question("Which of these would also fill a pipe with few bytes: short writes without packet mode, or vmsplice of short pieces?")

local p = pipe{slots = 16, packet = true}
local src = buffer{size = "4K", name = "src"}

task("writer", function()
    for _ = 1, 20 do
        write(p.w, src, 1)
    end
end, {cpu = 0}) -- both on one CPU: the reader gets its turn when the writer sleeps

task("reader", function()
    for _ = 1, 20 do
        read(p.r, 100) -- a packet at a time, however much is asked for
    end
end, {cpu = 0})
