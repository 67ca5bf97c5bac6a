-- SPDX-License-Identifier: MIT
-- One write of 10000 bytes, page by page, and one read.
title("Ten thousand bytes, three slots")
watch("The write gets a page, copies 4096 bytes and moves head, three times over. The read gives two whole pages back, and keeps one half.")
question("After the read of 9000 bytes, where in its page does the last slot begin?")

local p = pipe{slots = 8}
local src = buffer{size = "12K", name = "src"}
local dst = buffer{size = "12K", name = "dst"}

task("program", function()
    write(p.w, src, 10000)
    read(p.r, dst, 9000)
    fionread(p.r)
end)
