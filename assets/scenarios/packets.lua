-- SPDX-License-Identifier: MIT
-- O_DIRECT on a pipe: each write is a packet, and a read takes one.
title("Packets")
watch("Each slot carries the flag PACKET: nothing is appended to it, and a read that asks for less throws the rest of it away.")
question("A write of 5000 bytes: one packet or two? Look at the slots.")

local p = pipe{slots = 8, packet = true}
local src = buffer{size = "8K", name = "src"}

task("program", function()
    write(p.w, src, 100)
    write(p.w, src, 100)
    read(p.r, 40)         -- the other 60 are gone
    read(p.r, 4096)       -- and this is the second packet
    write(p.w, src, 5000)
    read(p.r, 8192)
    read(p.r, 8192)
    fcntl(p.w, "F_SETFL", "") -- a stream again, from here on
    write(p.w, src, 100)
    write(p.w, src, 100)
    read(p.r, 8192)
end)
