-- SPDX-License-Identifier: MIT
-- Small pages against a huge one, and two halves in one table against two tables.
title("What the walk has to read")
watch("A buffer of small pages has an entry each. The huge one has a single leaf. Two halves of one buffer are found through the same table; buffers 2 MiB apart need two.")
question("Two CPUs that walk at the same time: which entries do both read, and does reading contend?")

local small = buffer{size = "128K", name = "small"}
local huge = buffer{size = "2M", huge = true, name = "huge"}
local far = buffer{size = "64K", name = "far"}

print("small, first half:  " .. walk(small, 0))
print("small, second half: " .. walk(small, 65536))
print("huge, first half:   " .. walk(huge, 0))
print("huge, second half:  " .. walk(huge, 1048576))
print("another buffer:     " .. walk(far, 0))

local p = pipe{slots = 64}
local out = null()
task("program", function()
    vmsplice(p.w, small)
    splice(p.r, nil, out, nil, 131072)
    vmsplice(p.w, huge:at(0, 131072))
    splice(p.r, nil, out, nil, 131072)
end)
