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
    expect(splice(from.b, nil, p.w, nil, 8192), 5000)
    expect(splice(p.r, nil, to.a, nil, 4096), 4096)
    expect(fionread(p.r), 904)              -- they stay
    read(to.b, got)
    write_bytes(data, 0, "second")          -- another connection, the same pipe
    write(from.a, data, 1000)
    expect(splice(from.b, nil, p.w, nil, 8192), 1000)
    expect(splice(p.r, nil, to.a, nil, 8192), 1904)
    expect(read(to.b, got), 1904)           -- 904 bytes of the other connection's come first
    expect(bytes(got, 904, 6), "second")
end)
