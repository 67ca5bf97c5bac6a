-- SPDX-License-Identifier: MIT
-- The first rung: every byte is copied into a kernel page and out of it again.
title("Rung 1: write and read")
watch("Each page of the buffer costs an allocation, a copy in, a copy out, and a free, and all of it with the mutex held. The two sides take turns, and each is idle while the other copies.")
question("The ledger counts two copies a byte. Which of the two could go without changing the reader?")

local p = pipe{slots = 16}
local src = buffer{size = "64K", name = "src"}
local dst = buffer{size = "64K", name = "dst"}

task("writer", function()
    for _ = 1, 2 do write(p.w, src) end
    close(p.w)
end, {cpu = 0})

task("reader", function()
    repeat until read(p.r, dst) == 0
end, {cpu = 1})
