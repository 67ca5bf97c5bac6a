-- SPDX-License-Identifier: MIT
-- tee on an empty pipe waits for data, and then copies what is there.
local p, q = pipe(), pipe()
local t = task("tee", function() return tee(p.r, q.w, 100) end)
expect(run(t), "blocked")
expect(write(p.w, "abc"), 3)
expect(run(t), 3)
expect(fionread(p.r), 3)
