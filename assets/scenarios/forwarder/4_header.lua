-- SPDX-License-Identifier: MIT
-- A header by vmsplice, the payload by splice, both out in one splice.
title("A header in front of a payload")
watch("Slot 0 holds a page of the worker's, the next ones fragments of the socket's. One splice sends both, and no byte of the payload is copied. If the payload is not there yet, the header stays behind in the pipe.")
question("The second round gets EAGAIN for its payload. What does the third round send?")

local from, to, p = socketpair{nonblock = true}, socketpair(), pipe()
local data, header = buffer{size = "16K", name = "data"}, buffer{size = "4K", name = "header"}
local got = buffer{size = "32K", name = "got"}
write_bytes(header, 0, "HEAD")

task("worker", function()
    for round = 1, 3 do
        if round ~= 2 then write(from.a, data, 10000) end
        vmsplice(p.w, header:at(0, 4))
        local n = splice(from.b, nil, p.w, nil, 65536)
        expect(n, round == 2 and "EAGAIN" or 10000)
        expect(fionread(p.r), ({10004, 4, 10008})[round]) -- the second round's header is still there in the third
        if n ~= "EAGAIN" then expect(splice(p.r, nil, to.a, nil, 65536), round == 1 and 10004 or 10008) end
    end
    close(to.a)
end, {cpu = 0})

task("server", function()
    repeat local n = read(to.b, got) until n == 0
end, {cpu = 1})
