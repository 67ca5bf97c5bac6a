-- SPDX-License-Identifier: MIT
-- Where a short write goes: behind the last one, while it fits in the page.
title("Short writes share a page")
watch("The odd bytes of a write (its size modulo 4096) are put behind the newest slot if offset + len leaves room. That is tried once, at the start.")
question("4106 bytes after 300: why does the first slot grow by 10, and not by 3796?")

local p = pipe{slots = 8}
local src = buffer{size = "12K", name = "src"}

task("program", function()
    write(p.w, src, 100)
    write(p.w, src, 200)  -- 300 in one slot
    write(p.w, src, 4106) -- 10 more there, then a page of its own
    write(p.w, src, 8192) -- no odd bytes: no merging at all
    write(p.w, src, 50)   -- the newest page is full: a slot of its own
    read(p.r, 300)
    write(p.w, src, 4000) -- room behind the 50, and only there: the front of the first page does not come back
end)
