-- SPDX-License-Identifier: MIT
-- Level-triggered, epoll reports as long as it is so.
local p = pipe{nonblock = true}
local e = epoll(p.r, "IN")
expect(epoll_wait(e), "")
expect(write(p.w, "a"), 1)
expect(epoll_wait(e), "IN")
expect(epoll_wait(e), "IN")
expect(read(p.r, 1), 1)
expect(epoll_wait(e), "")
expect(close(p.w), 0)
expect(epoll_wait(e), "HUP")
