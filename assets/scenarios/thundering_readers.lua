-- SPDX-License-Identifier: MIT
-- Four readers, one byte at a time: who is woken, and who is not.
title("Readers that are not a herd")
watch("The four wait exclusively, in the order in which they came. Each byte wakes the first of them alone; he asks for more and queues at the end.")
question("Up to 5.5 each byte woke all four. What did the other three do then? (history/herd.lua)")

local p = pipe()
local src = buffer{size = "16K", name = "src"}

for i = 1, 4 do
    task("reader " .. i, function()
        for _ = 1, 2 do read(p.r, 1) end
    end, {cpu = i})
end

task("writer", function()
    local own = pipe() -- the readers are asleep by the time it begins
    for _ = 1, 12 do write(own.w, src, 16384) read(own.r, 16384) end
    for _ = 1, 8 do
        write(p.w, src, 1)
        for _ = 1, 2 do write(own.w, src, 16384) read(own.r, 16384) end
    end
end, {cpu = 0})
