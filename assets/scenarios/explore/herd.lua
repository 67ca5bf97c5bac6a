-- SPDX-License-Identifier: MIT
-- Two readers asleep, and two bytes: how many wake-ups it takes.
title("A herd, or one at a time")
watch("With --kernel 6.18+herd every change of the pipe wakes both readers; one of them finds nothing and sleeps again.")
question("What is the least, and what the most?")

local p = pipe()
for i = 1, 2 do task("reader " .. i, function() read(p.r, 1) end) end
task("writer", function()
    write(p.w, "a")
    write(p.w, "b")
end)

outcome(function() return "wake-ups: " .. wakeups() end)
