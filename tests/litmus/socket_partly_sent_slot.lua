-- SPDX-License-Identifier: MIT
-- A send that the socket's limit cuts short leaves a slot that begins inside its page.
kernel{min = "6.5"}
local s = socketpair{nonblock=true}
local p = pipe{slots=64, nonblock=true}
local b = buffer("256K")

expect(vmsplice(p.w, b), 262144)
local n = splice(p.r, s.a, 262144)
expect(n, 262144)
expect(vmsplice(p.w, b), 262144)
expect(splice(p.r, s.a, 262144), "EAGAIN")
expect(read(s.b, 66000), 66000)
expect(poll(s.a), "")
