-- SPDX-License-Identifier: MIT
-- Edge-triggered, a full pipe becomes writable with the slot, not with the bytes.
local p, b = pipe{nonblock = true}, buffer("64K")
expect(write(p.w, b), 65536)
local e = epoll(p.w, "OUT|ET")
expect(epoll_wait(e), "")
expect(read(p.r, 100), 100)
expect(epoll_wait(e), "")
expect(read(p.r, 3996), 3996)
expect(epoll_wait(e), "OUT")
expect(epoll_wait(e), "")
