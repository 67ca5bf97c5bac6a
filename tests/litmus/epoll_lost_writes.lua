-- SPDX-License-Identifier: MIT
-- Before 5.14 (and 5.10.56) a write to a pipe that was not empty woke nobody: an edge-triggered reader missed it.
kernel{min = "5.10", max = "5.10.55"}
local p = pipe{nonblock = true}
local e = epoll(p.r, "IN|ET")
expect(write(p.w, "a"), 1)
expect(epoll_wait(e), "IN")
expect(write(p.w, "b"), 1)
expect(epoll_wait(e), "")
