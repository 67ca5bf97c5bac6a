-- SPDX-License-Identifier: MIT
-- A write that found the pipe full is an event for the reader all the same.
kernel{min = "5.14"}
local p, b = pipe{nonblock = true}, buffer("64K")
expect(write(p.w, b), 65536)
local e = epoll(p.r, "IN|ET")
expect(epoll_wait(e), "IN")
expect(epoll_wait(e), "")
expect(write(p.w, b, 10), "EAGAIN")
expect(epoll_wait(e), "IN")
