-- SPDX-License-Identifier: MIT
-- Without a reader: EPIPE and SIGPIPE, once for each call; nothing for a call of 0 bytes.
local p = pipe()
local b = buffer("4K")
close(p.r)
expect(write(p.w, b, 1), "EPIPE")
expect(signals(), "SIGPIPE")
expect(signals(), "")
expect(write(p.w, b, 0), 0)
expect(vmsplice(p.w, b:at(0, 0)), 0)
expect(signals(), "")
expect(vmsplice(p.w, b), "EPIPE")
expect(signals(), "SIGPIPE")
