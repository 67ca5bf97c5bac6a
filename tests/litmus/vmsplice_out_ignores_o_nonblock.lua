-- SPDX-License-Identifier: MIT
-- vmsplice from an empty pipe sleeps whatever O_NONBLOCK says; splice to /dev/null heeds it.
local p = pipe{nonblock = true}
local d = buffer("4K")
expect(splice(p.r, nil, null(), nil, 10), "EAGAIN")
local v = task("vmsplice", function() return vmsplice(p.r, d:at(0, 10)) end)
expect(run(v), "blocked")
expect(write(p.w, "abc"), 3)
expect(run(v), 3)
expect(bytes(d, 0, 3), "abc")
