-- SPDX-License-Identifier: MIT
-- The step that went wrong: a buffer that nobody ever wrote to.
title("Rung 3 again, with an untouched buffer")
watch("The lockless walk meets no page, or the zero page, which it refuses: each page goes the slow way, at every call. All slots hold one and the same page of zeros.")
question("A store into the buffer afterwards: does the reader see it?")

local p = pipe{slots = 16}
local raw = buffer{size = "64K", name = "raw", touched = false}
local out = null()

task("writer", function()
    for _ = 1, 2 do
        local at = 0
        while at < 65536 do at = at + vmsplice(p.w, raw:at(at)) end
    end
    close(p.w)
end, {cpu = 0})

task("reader", function()
    repeat until splice(p.r, nil, out, nil, 65536) == 0
end, {cpu = 1})
