-- SPDX-License-Identifier: MIT
local bug = kernel{version = "5.10", features = "epollet-lost"}
title("The second letter is never announced")
watch("The second write finds the ring not empty. Does it tell the reader that waits for edges?")
question("The man page says: with EPOLLET read until EAGAIN. Was this a bug of the kernel, or of the program?")

local p = pipe{nonblock = true}
local e = epoll(p.r, "IN|ET")
expect(write(p.w, "a"), 1)
expect(epoll_wait(e), "IN")

-- The program takes its time. From 5.5 to 5.13 a writer woke readers of an empty ring only.
expect(write(p.w, "b"), 1)
expect(epoll_wait(e), bug and "" or "IN")
expect(fionread(p.r), 2)
