-- SPDX-License-Identifier: MIT
-- The second splice sends what was hoped for, not what was queued.
title("A short splice leaves bytes behind")
watch("The first splice may queue less than was asked. A program that then forwards a fixed amount, or gives up on a short send, leaves bytes in the pipe, and the next connection that borrows it sends them first.")
question("Which two checks make this loop right?")

local from, to, p = socketpair{nonblock = true}, socketpair{nonblock = true}, pipe()
local data, got = buffer{size = "8K", name = "data"}, buffer{size = "8K", name = "got"}

task("program", function()
    write_bytes(data, 0, "first")
    write(from.a, data, 5000)
    splice(from.b, nil, p.w, nil, 8192)
    splice(p.r, nil, to.a, nil, 4096)       -- 904 stay
    print("left in the pipe: " .. fionread(p.r))
    read(to.b, got)
    write_bytes(data, 0, "second")          -- another connection, the same pipe
    write(from.a, data, 1000)
    splice(from.b, nil, p.w, nil, 8192)
    splice(p.r, nil, to.a, nil, 8192)
    print("it gets " .. read(to.b, got) .. " bytes, and 'second' begins at 904: " .. bytes(got, 904, 6))
end)
