-- SPDX-License-Identifier: MIT
-- One wake-up, three readers served: each passes it on.
title("A wake-up is handed on")
watch("The three readers wait exclusively: a wake-up takes the first alone. On its way out it finds data left, and wakes the next.")
question("vmsplice brings three pages and wakes once. What if a reader took all of them?")

local p = pipe{slots = 16}
local src = buffer{size = "16K", name = "src"}

for i = 1, 3 do
    task("reader " .. i, function() read(p.r, 1) end, {cpu = i})
end

task("writer", function()
    local q = pipe() -- something to do first, so that the readers are asleep by then
    for _ = 1, 20 do write(q.w, src, 4096) read(q.r, 4096) end
    vmsplice(p.w, src:at(0, 3))
end, {cpu = 0})
