-- SPDX-License-Identifier: MIT
-- sendfile reads from what can be mapped: a pipe as its input is refused.
local p, q = pipe{nonblock = true}, pipe{nonblock = true}
expect(write(p.w, "abc"), 3)
expect(sendfile(q.w, p.r, nil, 3), "EINVAL")
expect(sendfile(p.w, p.r, nil, 3), "EINVAL")
