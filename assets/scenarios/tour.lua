-- SPDX-License-Identifier: MIT
-- The first tour: a writer, a reader, and eight slots between them.
title("A writer and a reader on a pipe of eight slots")
watch("A write of 10000 bytes takes two whole pages and 1808 bytes of a third. The next write fills that page up first, if its own 1808 odd bytes fit.")
question("The writer falls asleep when all eight slots are in use. Eight pages are 32768 bytes: how many bytes are in the pipe then?")

local p = pipe{slots = 8}
local src = buffer{size = "12K", name = "src"}
local dst = buffer{size = "12K", name = "dst"}

task("writer", function()
    for _ = 1, 4 do
        write(p.w, src, 10000)
    end
    close(p.w)
end)

task("reader", function()
    repeat
        local n = read(p.r, dst, 5000)
    until n == 0
end)
