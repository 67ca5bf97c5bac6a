-- SPDX-License-Identifier: MIT
-- Two halves in turn, and a consumer that passes the pages on: what the last reader can get.
title("A buffer used again too early")
watch("The pipe holds one slot, so the writer comes back to a half only when it has left the pipe. It has not been read then: it waits in the second ring.")
question("How large may the second pipe be for this to be right?")

local p, q = pipe{slots = 1}, pipe{slots = 4}
local half = {buffer{size = "4K", name = "one"}, buffer{size = "4K", name = "two"}}
local got = buffer{size = "4K", name = "got"}

task("writer", function()
    for i = 1, 3 do
        write_bytes(half[i % 2 + 1], 0, "number " .. i)
        vmsplice(p.w, half[i % 2 + 1]:at(0, 8))
    end
end)
task("forwarder", function()
    for _ = 1, 3 do splice(p.r, nil, q.w, nil, 8) end
end)
task("reader", function()
    read(q.r, got, 8)
    return bytes(got, 0, 8)
end)
