-- SPDX-License-Identifier: MIT
-- Small writes that share a page, and small pieces that cannot.
title("Sixty writes in a page, sixteen vmsplices in a ring")
watch("write appends to the newest page while it fits. vmsplice never does, and a write after it cannot append to a page that is not the pipe's own: each piece takes a slot.")
question("Both pipes can hold 16 pages. How many bytes are in each when it is full?")

local p, q = pipe{slots = 16, nonblock = true}, pipe{slots = 16, nonblock = true}
local line = buffer{size = "4K", name = "line"}

task("program", function()
    for _ = 1, 60 do write(p.w, line, 64) end
    while vmsplice(q.w, line:at(0, 64), "SPLICE_F_NONBLOCK") == 64 do end
    write(q.w, line, 1) -- EAGAIN
    fionread(p.r)
    fionread(q.r)
end)
