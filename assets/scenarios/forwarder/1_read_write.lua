-- SPDX-License-Identifier: MIT
-- Socket to socket through user memory: two copies a byte.
title("A forwarder that copies")
watch("Each message is copied out of the socket buffer into the worker's memory and into a new socket buffer.")
question("Which of the two copies does the payload need, if nobody looks at it?")

local from, to = socketpair(), socketpair()
local data, mine = buffer{size = "16K", name = "data"}, buffer{size = "16K", name = "mine"}

task("client", function()
    for _ = 1, 3 do write(from.a, data) end
    close(from.a)
end, {cpu = 0})

task("worker", function()
    repeat
        local n = read(from.b, mine)
        if n ~= 0 then write(to.a, mine, n) end
    until n == 0
    close(to.a)
end, {cpu = 1})

task("server", function()
    repeat until read(to.b, data) == 0
end, {cpu = 2})
