-- SPDX-License-Identifier: MIT
-- tee: a second reference to the same pages, for a second reader.
title("tee copies slots, not bytes")
watch("Each linked slot takes one more reference on the page and cannot be appended to. The input keeps everything: tee has no position, and asked again it gives the same bytes.")
question("Which of the two pipes may keep the page as its spare when both have read it?")

local p, q = pipe{slots = 8}, pipe{slots = 8}
local src = buffer{size = "8K", name = "src"}
local out = null()

task("program", function()
    write(p.w, src, 6000)
    tee(p.r, q.w, 100)
    tee(p.r, q.w, 65536)
    write(p.w, src, 10)  -- goes behind the 1904 in the last page: q does not see it
    read(q.r, 65536)
    splice(p.r, nil, out, nil, 65536)
end)
