-- SPDX-License-Identifier: MIT
-- A splice that returns 0 is the end, not a reason to try again.
title("A connection half closed")
watch("The client has closed. What it sent is still there; after it the splice gives 0, every time. A worker that takes 0 for 'nothing yet' never ends.")
question("How is 0 told from EAGAIN, and what does poll say?")

local from, p = socketpair(), pipe()
local data = buffer{size = "4K", name = "data"}
local out = null()

task("program", function()
    write(from.a, data, 3000)
    close(from.a)
    for i = 1, 3 do
        local n = splice(from.b, nil, p.w, nil, 65536)
        expect(n, i == 1 and 3000 or 0)
        expect(poll(from.b), "IN|OUT|HUP")
        if n ~= 0 then splice(p.r, nil, out, nil, n) end
    end
end)
