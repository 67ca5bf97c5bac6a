-- SPDX-License-Identifier: MIT
-- In a pipe that is not full a slot taken by splice is an event for the writer, one taken by read is none.
local p, n, b = pipe{nonblock = true}, null(), buffer("16K")
expect(write(p.w, b, 12288), 12288)
local e = epoll(p.w, "OUT|ET")
expect(epoll_wait(e), "OUT")
expect(splice(p.r, nil, n, nil, 4096), 4096)
expect(epoll_wait(e), "OUT")
expect(read(p.r, 4096), 4096)
expect(epoll_wait(e), "")
