-- SPDX-License-Identifier: MIT
-- Two halves in turn, and a reader that copies: there is one outcome.
title("A buffer used again in time")
watch("vmsplice of a half comes back only when there was room for it: the other half has left the pipe, and with this reader that means read.")
question("What if the pipe had two slots?")

local p = pipe{slots = 1}
local half = {buffer{size = "4K", name = "one"}, buffer{size = "4K", name = "two"}}
local got = buffer{size = "4K", name = "got"}

task("writer", function()
    for i = 1, 3 do
        write_bytes(half[i % 2 + 1], 0, "number " .. i)
        vmsplice(p.w, half[i % 2 + 1]:at(0, 8))
    end
end)
task("reader", function()
    local all = ""
    for _ = 1, 3 do
        read(p.r, got, 8)
        all = all .. bytes(got, 7, 1)
    end
    return all
end)
