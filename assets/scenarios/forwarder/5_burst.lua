-- SPDX-License-Identifier: MIT
-- A burst into few slots, without waiting: EAGAIN again and again.
title("A burst that does not fit")
watch("Each message takes a slot, however small: eight slots, 32 KiB by name, are full with 800 bytes. The worker asks in vain, and takes the mutex each time, until somebody takes a slot.")
question("What does each vain call cost the one who empties the pipe? Compare with 9_burst_waits, where the worker sleeps.")

local from, q = socketpair(), pipe{slots = 8}
local data = buffer{size = "4K", name = "data"}
local out = null()

task("client", function()
    for _ = 1, 12 do write(from.a, data, 100) end
end, {cpu = 0})

task("worker", function()
    local left = 1200
    while left > 0 do
        local n = splice(from.b, nil, q.w, nil, 100, "SPLICE_F_NONBLOCK")
        if n ~= "EAGAIN" then left = left - n end
    end
end, {cpu = 1})

task("drain", function()
    local own, late = pipe(), 1200
    for _ = 1, 6 do write(own.w, data) read(own.r, 4096) end
    while late > 0 do late = late - splice(q.r, nil, out, nil, 100) end
end, {cpu = 2})
