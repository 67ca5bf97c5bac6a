-- SPDX-License-Identifier: MIT
-- The same with a pipe for each connection: no lock is shared.
title("A forwarder with a pipe for each connection")
watch("The two workers never meet. The pipe is grown so that a burst fits: slots, not bytes, are what a socket fills.")
question("A thousand idle connections: two thousand descriptors and how much memory? (A pool of pipes borrows one only while bytes are under way.)")

local data = buffer{size = "16K", name = "data"}

for i = 1, 2 do
    local from, to, p = socketpair(), socketpair(), pipe{slots = 64}
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
