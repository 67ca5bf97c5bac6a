-- SPDX-License-Identifier: MIT
-- Two polls that wait on one full pipe: a freed slot wakes the writer's, the reader's saw bytes at once.
local p, b = pipe(), buffer("64K")
expect(write(p.w, b), 65536)
expect(poll(p.r, "wait"), "IN")
local one = task("one", function() return poll(p.w, "wait") end)
local two = task("two", function() return poll(p.w, "wait") end)
expect(run(one), "blocked")
expect(run(two), "blocked")
expect(read(p.r, 4096), 4096)
expect(run(one), "OUT") -- polls wait together, not one after the other
expect(run(two), "OUT")
local gone = task("gone", function() return poll(p.w, "wait") end)
expect(write(p.w, b, 4096), 4096)
expect(run(gone), "blocked")
expect(close(p.r), 0)
expect(run(gone), "ERR")
