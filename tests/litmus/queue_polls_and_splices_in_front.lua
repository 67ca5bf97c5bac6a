-- SPDX-License-Identifier: MIT
-- On rd_wait polls and splices stand in front, the last to come first, and readers behind in order: one byte wakes all
-- of those in front and the first reader. A poll sees the byte if it runs before it is taken; one that finds nothing
-- stays where it is, a reader that finds nothing goes to the end.
local p, d = pipe(), buffer("4K")
local t = {
    task("reads first", function() return read(p.r, 1) end),
    task("polls", function() return poll(p.r, "wait") end),
    task("reads second", function() return read(p.r, 1) end),
    task("vmsplices out", function() return vmsplice(p.r, d:at(0, 1)) end),
    task("polls last", function() return poll(p.r, "wait") end),
}
for i = 1, 5 do expect(run(t[i]), "blocked") end
expect(write(p.w, "x"), 1)
expect(run(t[5]), "IN")
expect(run(t[4]), 1)
for i = 1, 3 do expect(run(t[i]), "blocked") end
expect(write(p.w, "x"), 1)
expect(run(t[2]), "IN") -- it had kept its place
expect(run(t[3]), 1)
expect(run(t[1]), "blocked")
expect(write(p.w, "x"), 1)
expect(run(t[1]), 1)
