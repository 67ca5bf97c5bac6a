-- SPDX-License-Identifier: MIT
-- From a stream socket SPLICE_F_NONBLOCK counts, and so does the pipe's O_NONBLOCK; from a datagram socket its own flag alone.
local s, d = socketpair(), socketpair{type="dgram"}
local p, q = pipe(), pipe{nonblock=true}

expect(splice(s.b, nil, p.w, nil, 10, "SPLICE_F_NONBLOCK"), "EAGAIN")
expect(splice(s.b, nil, q.w, nil, 10), "EAGAIN")
local t = task("t", function() return splice(d.b, nil, q.w, nil, 10, "SPLICE_F_NONBLOCK") end)
expect(run(t), "blocked")
expect(write(d.a, "0123456789"), 10)
expect(run(t), 10)
