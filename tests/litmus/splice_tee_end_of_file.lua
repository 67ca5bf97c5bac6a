-- SPDX-License-Identifier: MIT
-- Without a writer on the input splice and tee give 0; without a reader on the output they fail, which is seen first.
local p, q = pipe{nonblock = true}, pipe{nonblock = true}
expect(close(p.w), 0)
expect(splice(p.r, nil, q.w, nil, 1), 0)
expect(tee(p.r, q.w, 1), 0)
expect(close(q.r), 0)
expect(splice(p.r, nil, q.w, nil, 1), "EPIPE")
expect(tee(p.r, q.w, 1), "EPIPE")
