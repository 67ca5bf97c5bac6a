-- SPDX-License-Identifier: MIT
-- The fast way: pages go through the pipe by reference, and nobody copies a byte.
title("vmsplice in, splice out: no copy")
watch("The slots point at pages of the writer's own buffer: see their reference counts go up when a slot is filled, and down when it is spliced away.")
question("How many bytes were copied in the whole run? Look at the figure, then at the two stages that would copy.")

local p = pipe{slots = 16}
local src = buffer{size = "128K", name = "src"}
local out = null()

task("writer", function()
    for round = 0, 3 do -- two halves in turn: one may be filled anew while the other is in the pipe
        local half = src:at((round % 2) * 65536, 65536)
        local done = 0
        while done < 65536 do
            done = done + vmsplice(p.w, half:at(done))
        end
    end
    close(p.w)
end)

task("reader", function()
    repeat
        local n = splice(p.r, nil, out, nil, 65536, "SPLICE_F_MOVE")
    until n == 0
end)
