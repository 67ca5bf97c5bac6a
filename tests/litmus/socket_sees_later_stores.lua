-- SPDX-License-Identifier: MIT
-- The socket holds the writer's page, not a copy: a store made after the send shows at the receiver.
local s = socketpair()
local p = pipe()
local b, d = buffer("4K"), buffer("4K")

write_bytes(b, 0, "before")
expect(vmsplice(p.w, b:at(0, 6)), 6)
expect(splice(p.r, s.a, 6), 6)
write_bytes(b, 0, "after!")
expect(read(s.b, d), 6)
expect(bytes(d, 0, 6), "after!")
