-- SPDX-License-Identifier: MIT
-- An edge-triggered item on a socket fires for each buffer that arrives.
local s = socketpair{nonblock=true}
local e = epoll(s.b, "IN|ET")

expect(epoll_wait(e), "")
expect(write(s.a, "x"), 1)
expect(epoll_wait(e), "IN")
expect(epoll_wait(e), "")
expect(write(s.a, "x"), 1)
expect(epoll_wait(e), "IN")
