-- SPDX-License-Identifier: MIT
-- Before 5.14 a write that found no room told an edge-triggered reader nothing.
kernel{max = "5.10.55"}
local p, b = pipe{nonblock = true}, buffer("64K")
local e = epoll(p.r, "IN|ET")
expect(write(p.w, b), 65536)
expect(epoll_wait(e), "IN")
expect(write(p.w, b, 4096), "EAGAIN")
expect(epoll_wait(e), "")
