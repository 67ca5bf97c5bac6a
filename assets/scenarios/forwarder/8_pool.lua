-- SPDX-License-Identifier: MIT
-- A worker borrows a pipe while bytes are under way; growing one has a limit.
title("A pool of pipes, and the size they may have")
watch("Three connections take turns with one pipe: it must be empty when it is given back. F_SETPIPE_SZ grows it to 1 MiB; beyond pipe-max-size it is refused without CAP_SYS_RESOURCE.")
question("Why must the pool never get back a pipe with something in it?")

local p = pipe()
local data, got = buffer{size = "16K", name = "data"}, buffer{size = "64K", name = "got"}

task("worker", function()
    print("1 MiB: " .. fcntl(p.w, "F_SETPIPE_SZ", 1048576))
    print("2 MiB: " .. fcntl(p.w, "F_SETPIPE_SZ", 2097152))
    for i = 1, 3 do
        local from, to = socketpair(), socketpair()
        write(from.a, data, 4000 * i)
        local n = splice(from.b, nil, p.w, nil, 65536)
        splice(p.r, nil, to.a, nil, n)
        print("connection " .. i .. ": " .. read(to.b, got) .. " bytes, the pipe is empty again: " .. fionread(p.r))
        close(from.a) close(from.b) close(to.a) close(to.b)
    end
end)
