-- SPDX-License-Identifier: MIT
-- An open FIFO does not promise what a pipe() does.
kernel{min = "6.4"}
local f = open(fifo(), "rw")
expect(pwritev2(f, "x", "RWF_NOWAIT"), "EOPNOTSUPP")
expect(write(f, "x"), 1)
expect(preadv2(f, 1, "RWF_NOWAIT"), "EOPNOTSUPP")
