-- SPDX-License-Identifier: MIT
-- Between pipes a slot that is only split frees nothing, so the writer sleeps on; one that moves wakes it.
local p, q, b = pipe(), pipe(), buffer("64K")
expect(write(p.w, b, 65536), 65536)
local w = task("writer", function() return write(p.w, b, 100) end)
expect(run(w), "blocked")
expect(splice(p.r, nil, q.w, nil, 100), 100)
expect(run(w), "blocked")
expect(splice(p.r, nil, q.w, nil, 3996), 3996)
expect(run(w), 100)
