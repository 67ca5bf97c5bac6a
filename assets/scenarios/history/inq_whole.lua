-- SPDX-License-Identifier: MIT
local bug = kernel{version = "6.18.15", features = "inq-whole"}
title("FIONREAD of a socket counts bytes that were read")
watch("The buffer at the head of the receive queue: how much of it is consumed, and what FIONREAD says.")
question("A program asks how much it may read, waits for exactly that much, and hangs. Which part of the queue did the kernel count?")

-- A stream socket queues what is written in buffers. To make FIONREAD cheap, 6.17 kept a running sum of their lengths, and
-- took a buffer's length off it when the whole of it had been read.
local s, b = socketpair{nonblock = true}, buffer("16K")
expect(write(s.a, b, 10000), 10000)
expect(fionread(s.b), 10000)
expect(read(s.b, 119), 119)
expect(fionread(s.b), bug and 10000 or 9881)
expect(read(s.b, 10000), 9881)
expect(fionread(s.b), 0)
