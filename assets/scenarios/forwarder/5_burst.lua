-- SPDX-License-Identifier: MIT
-- A burst into sixteen slots: without waiting, EAGAIN again and again; with waiting, sleep.
title("A burst that does not fit")
watch("Each message takes a slot, however small. The ring is full long before 64 KiB are in it. The spinning worker asks in vain until somebody takes a slot; the other one sleeps meanwhile.")
question("Which setting helps more, SPLICE_F_NONBLOCK or F_SETPIPE_SZ?")

local from, q = socketpair(), pipe{slots = 8}
local data = buffer{size = "4K", name = "data"}
local out = null()

task("client", function()
    for _ = 1, 12 do write(from.a, data, 100) end
end, {cpu = 0})

task("worker", function()
    local left, vain = 1200, 0
    while left > 0 do
        local n = splice(from.b, nil, q.w, nil, 100, "SPLICE_F_NONBLOCK")
        if n == "EAGAIN" then vain = vain + 1 else left = left - n end
    end
    print("asked in vain " .. vain .. " times")
end, {cpu = 1})

task("drain", function()
    local own, late = pipe(), 1200
    for _ = 1, 6 do write(own.w, data) read(own.r, 4096) end
    while late > 0 do late = late - splice(q.r, nil, out, nil, 100) end
end, {cpu = 2})
