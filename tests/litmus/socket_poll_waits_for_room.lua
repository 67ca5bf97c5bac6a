-- SPDX-License-Identifier: MIT
-- A poll that waits on a socket sleeps while its send buffer is full and nothing has come.
local s, b = socketpair{nonblock = true}, buffer("1M")
while write(s.a, b, 65536) ~= "EAGAIN" do end
expect(poll(s.a), "")
local t = task("poller", function() return poll(s.a, "wait") end)
expect(run(t), "blocked")
while read(s.b, 65536) ~= "EAGAIN" do end
expect(run(t), "OUT")
