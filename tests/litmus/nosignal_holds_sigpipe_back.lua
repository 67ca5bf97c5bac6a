-- SPDX-License-Identifier: MIT
-- RWF_NOSIGNAL: EPIPE comes alone.
kernel{min = "6.18"}
local p = pipe()
expect(close(p.r), 0)
expect(pwritev2(p.w, "x", "RWF_NOSIGNAL"), "EPIPE")
expect(signals(), "")
expect(write(p.w, "x"), "EPIPE")
expect(signals(), "SIGPIPE")
