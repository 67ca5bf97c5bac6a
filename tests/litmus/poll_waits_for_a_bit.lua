-- SPDX-License-Identifier: MIT
-- A poll that waits comes back with what it sees: a byte, room, or the other end's close.
local p, b = pipe(), buffer("64K")
local r = task("r", function() return poll(p.r, "wait") end)
expect(run(r), "blocked")
expect(write(p.w, b), 65536)
expect(run(r), "IN")
local w = task("w", function() return poll(p.w, "wait") end)
expect(run(w), "blocked")
expect(read(p.r, 4095), 4095) -- no slot is free
expect(run(w), "blocked")
expect(read(p.r, 1), 1)
expect(run(w), "OUT")
local h = task("h", function() return poll(p.r, "wait") end)
expect(read(p.r, 61440), 61440)
expect(run(h), "blocked")
expect(close(p.w), 0)
expect(run(h), "HUP")
