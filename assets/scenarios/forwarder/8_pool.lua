-- SPDX-License-Identifier: MIT
-- Workers borrow a pipe while bytes are under way; growing one has a limit.
title("A pool of pipes, and the size they may have")
watch("Four connections, two pipes. A worker takes a pipe out of the pool, forwards what there is, and gives it back empty: an idle connection has none. F_SETPIPE_SZ grows a pipe to 1 MiB; a pipe-max-size of 1 MiB refuses more to who has no CAP_SYS_RESOURCE.")
question("Why must the pool never get back a pipe with something in it? And who pays for 256 slots in each of a thousand pipes?")

local pool = {pipe(), pipe()}
local data = buffer{size = "16K", name = "data"}

for _, p in ipairs(pool) do
    expect(fcntl(p.w, "F_SETPIPE_SZ", 1048576), 1048576)
    expect(fcntl(p.w, "F_SETPIPE_SZ", 2097152), "EPERM")
end

for i = 1, 2 do
    task("worker " .. i, function()
        for n = 1, 2 do
            local from, to = socketpair(), socketpair()
            local bytes = 4000 * i + 100 * n
            write(from.a, data, bytes)
            local p = table.remove(pool)    -- borrowed
            expect(splice(from.b, nil, p.w, nil, 65536), bytes)
            expect(splice(p.r, nil, to.a, nil, bytes), bytes)
            expect(fionread(p.r), 0)        -- empty: it may go back
            pool[#pool + 1] = p
            expect(read(to.b, data), bytes)
            close(from.a) close(from.b) close(to.a) close(to.b)
        end
    end, {cpu = i - 1})
end
