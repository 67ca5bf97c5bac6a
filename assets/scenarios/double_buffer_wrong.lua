-- SPDX-License-Identifier: MIT
-- The same writer, and a consumer that passes the pages on: "read" no longer means "done with".
title("Double buffering that corrupts")
watch("The middle task splices the slots into a second pipe. To the writer its pipe is empty, so it writes the half anew, while the old one still waits in the other ring: the same pages.")
question("Byte by byte, what does the last task get for number 1? Who could have known?")

local p, q = pipe{slots = 2}, pipe{slots = 16}
local half = {buffer{size = "8K", name = "one"}, buffer{size = "8K", name = "two"}}
local dst = buffer{size = "8K", name = "dst"}

task("writer", function()
    for i = 1, 4 do
        local b = half[i % 2 + 1]
        for page = 0, 1 do write_bytes(b, page * 4096, "number " .. i) end
        local at = 0
        while at < 8192 do at = at + vmsplice(p.w, b:at(at)) end
    end
    close(p.w)
end, {cpu = 0})

task("forwarder", function()
    repeat until splice(p.r, nil, q.w, nil, 8192) == 0
    close(q.w)
end, {cpu = 1})

task("reader", function()
    local own = pipe()
    for _ = 1, 30 do write(own.w, dst, 8192) read(own.r, 8192) end -- late
    for i = 1, 4 do
        read(q.r, dst, 8192)
        print("sent number " .. i .. ", got " .. bytes(dst, 0, 8))
    end
end, {cpu = 2})
