-- SPDX-License-Identifier: MIT
-- Between pipes O_NONBLOCK of either one counts, and the flag of the call too.
local p, q, r = pipe{nonblock = true}, pipe(), pipe()
expect(splice(p.r, nil, q.w, nil, 1), "EAGAIN")
expect(splice(r.r, nil, p.w, nil, 1), "EAGAIN")
expect(splice(r.r, nil, q.w, nil, 1, "SPLICE_F_NONBLOCK"), "EAGAIN")
expect(tee(p.r, q.w, 1), "EAGAIN")
expect(tee(r.r, q.w, 1, "SPLICE_F_NONBLOCK"), "EAGAIN")
