-- SPDX-License-Identifier: MIT
-- Two writers on two CPUs want the same mutex.
title("Two writers, one lock")
watch("While one writer copies it holds the pipe's mutex. The other spins as long as the owner runs, and sleeps when it does not.")
question("Writes of up to 4096 bytes are never mixed with those of others. What about the 10000 bytes of these two?")

local p = pipe{slots = 8}
local a = buffer{size = "12K", name = "a"}
local b = buffer{size = "12K", name = "b"}

task("writer A", function()
    for _ = 1, 3 do write(p.w, a, 10000) end
end, {cpu = 0})

task("writer B", function()
    for _ = 1, 3 do write(p.w, b, 10000) end
end, {cpu = 1})

task("reader", function()
    local left = 60000
    while left > 0 do
        left = left - read(p.r, math.min(left, 16384))
    end
end, {cpu = 2})
