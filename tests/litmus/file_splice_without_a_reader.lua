-- SPDX-License-Identifier: MIT
-- A splice into a pipe that nobody reads is a broken pipe, with the signal.
local p, f = pipe(), file{size = 4096}
expect(close(p.r), 0)
expect(splice(f, 0, p.w, nil, 10), "EPIPE")
expect(signals(), "SIGPIPE")
