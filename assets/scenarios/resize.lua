-- SPDX-License-Identifier: MIT
-- F_SETPIPE_SZ: the filled slots move to a new array, in order, and tail starts at 0 again.
title("A pipe gets smaller and larger while there is data in it")
watch("The ring is wrapped: slots at the end, then at the beginning. After the resize they stand in order from 0, and not one byte was copied.")
question("Eight slots are in use. Why does a size of 16384 bytes fail with EBUSY although there may be only 8 bytes in the pipe?")

local p = pipe{slots = 16}
local src = buffer{size = "64K", name = "src"}

task("program", function()
    write(p.w, src, 12 * 4096)
    read(p.r, 12 * 4096)
    write(p.w, src, 8 * 4096) -- slots 12 to 15, then 0 to 3
    fcntl(p.w, "F_SETPIPE_SZ", 16384)
    fcntl(p.w, "F_SETPIPE_SZ", 32768)
    fcntl(p.w, "F_SETPIPE_SZ", 131072)
    read(p.r, 4096)
end)
