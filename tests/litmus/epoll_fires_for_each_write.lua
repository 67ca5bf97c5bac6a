-- SPDX-License-Identifier: MIT
-- Edge-triggered, a second write to a pipe that was not drained is one more event.
kernel{min = "5.14"}
local p = pipe{nonblock = true}
local e = epoll(p.r, "IN|ET")
expect(epoll_wait(e), "")
expect(write(p.w, "a"), 1)
expect(epoll_wait(e), "IN")
expect(epoll_wait(e), "")
expect(write(p.w, "b"), 1)
expect(epoll_wait(e), "IN")
