-- SPDX-License-Identifier: MIT
-- One entry of the page table, 512 pages: get_user_pages takes all it needs at once.
title("vmsplice from a huge page")
watch("The walk ends one level higher, at a leaf of 2 MiB. Sixteen pages cost one look and one addition to the reference count of the head page.")
question("The slots point at different pages, yet only one reference count moves. Whose?")

local p = pipe{slots = 32}
local small = buffer{size = "64K", name = "small"}
local huge = buffer{size = "2M", huge = true, name = "huge"}
local out = null()

task("program", function()
    vmsplice(p.w, small)           -- sixteen entries are read
    splice(p.r, nil, out, nil, 65536)
    vmsplice(p.w, huge:at(0, 65536)) -- one
    splice(p.r, nil, out, nil, 65536)
end)
