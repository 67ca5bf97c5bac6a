-- SPDX-License-Identifier: MIT
-- A pipe of one slot can refuse a byte with almost nothing in it.
title("One slot, 97 bytes, and no room for one more")
watch("What was read from the front of a page does not come back: offset + len must stay within 4096 for a byte to be appended.")
question("make hands out its job tokens through a pipe, a byte each. What happens to it on a pipe of one slot?")

local p = pipe{slots = 1, nonblock = true}
local src = buffer{size = "4K", name = "src"}

task("program", function()
    write(p.w, src, 4000)
    read(p.r, 4000 - 1)
    write(p.w, src, 94)
    write(p.w, src, 2)
    write(p.w, src, 1) -- EAGAIN, with 97 bytes in the pipe
    read(p.r, 97)
    write(p.w, src, 1)
end)
