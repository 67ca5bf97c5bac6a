-- SPDX-License-Identifier: MIT
-- The same burst into few slots, with waiting: the worker sleeps until a slot is free.
title("A burst that does not fit, and a worker that sleeps")
watch("Eight messages fill the eight slots, then wait_for_space puts the worker on wr_wait and releases the mutex. The first slot taken wakes it. No call is made in vain, but each round is a sleep, a wake-up and two switches.")
question("Which helps more here: SPLICE_F_NONBLOCK, or F_SETPIPE_SZ?")

local from, q = socketpair(), pipe{slots = 8}
local data = buffer{size = "4K", name = "data"}
local out = null()

task("client", function()
    for _ = 1, 12 do write(from.a, data, 100) end
end, {cpu = 0})

task("worker", function()
    local left = 1200
    while left > 0 do left = left - splice(from.b, nil, q.w, nil, 100) end
end, {cpu = 1})

task("drain", function()
    local own, late = pipe(), 1200
    for _ = 1, 6 do write(own.w, data) read(own.r, 4096) end
    while late > 0 do late = late - splice(q.r, nil, out, nil, 100) end
end, {cpu = 2})
