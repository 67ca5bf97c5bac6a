-- SPDX-License-Identifier: MIT
-- Two halves and a pipe that holds one of them: when a half has gone in, the other has been read.
title("Double buffering that is safe")
watch("The pipe has as many slots as a half has pages. A whole half fits only after every page of the other one was read out, so that half may be written to again.")
question("What if the pipe were twice as large? Or the half began in the middle of a page?")

local p = pipe{slots = 2}
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

task("reader", function()
    local i = 1
    while read(p.r, dst, 4096) ~= 0 do
        print("page " .. i .. ": " .. bytes(dst, 0, 8))
        i = i + 1
    end
end, {cpu = 1})
