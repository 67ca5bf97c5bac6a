-- SPDX-License-Identifier: MIT
-- The send buffer is charged for what a buffer costs, not for its bytes: 278 sends of one byte fill 212,992.
local s = socketpair{nonblock=true}
local b = buffer("4K")

local n = 0
while write(s.a, b, 1) == 1 do n = n + 1 end
expect(n, 278)
expect(write(s.a, b, 1), "EAGAIN")
expect(poll(s.a), "")
expect(read(s.b, 208), 208)
expect(poll(s.a), "")
expect(read(s.b, 1), 1)
expect(poll(s.a), "OUT")
