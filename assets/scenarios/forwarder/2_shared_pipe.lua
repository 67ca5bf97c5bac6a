-- SPDX-License-Identifier: MIT
-- Two workers splice through one pipe: nothing is copied, and everybody waits for one mutex.
title("A forwarder with one pipe for all")
watch("Each splice holds the pipe's mutex, and the first of the two holds it even while it waits for the socket. The other worker waits for a lock, not for data.")
question("What else goes wrong when two connections share a ring? Whose bytes does the second splice take?")

local p = pipe()
local data = buffer{size = "16K", name = "data"}

for i = 1, 2 do
    local from, to = socketpair(), socketpair()
    task("client " .. i, function()
        for _ = 1, 2 do write(from.a, data, 8192) end
        close(from.a)
    end, {cpu = i - 1})
    task("worker " .. i, function()
        repeat
            local n = splice(from.b, nil, p.w, nil, 8192)
            if n ~= 0 then splice(p.r, nil, to.a, nil, n) end
        until n == 0
        close(to.a)
    end, {cpu = i + 1})
    task("server " .. i, function()
        repeat until read(to.b, data) == 0
    end, {cpu = i + 3})
end
