-- SPDX-License-Identifier: MIT
-- The fifth rung: neither side ever sleeps; each asks again until it gets something.
title("Rung 5: a busy loop")
watch("Both calls carry SPLICE_F_NONBLOCK: where they would sleep they come back with EAGAIN, and try again. No wake-ups, no context switches, and two whole CPUs for it.")
question("Count the calls that moved nothing. What else could those CPUs have done?")

local p = pipe{slots = 16}
local huge = buffer{size = "2M", huge = true, name = "huge"}
local out = null()

task("writer", function()
    for i = 0, 2 do
        local at = 0
        while at < 65536 do
            local n = vmsplice(p.w, huge:at(i * 65536 + at, 65536 - at), "SPLICE_F_NONBLOCK")
            if n ~= "EAGAIN" then at = at + n end
        end
    end
    close(p.w)
end, {cpu = 0})

task("reader", function()
    repeat local n = splice(p.r, nil, out, nil, 65536, "SPLICE_F_NONBLOCK") until n == 0
end, {cpu = 1})
