-- SPDX-License-Identifier: MIT
-- vmsplice on a FIFO opened for both goes into it.
local f, b = fifo(), buffer("4K")
local fd = open(f, "rw")
expect(vmsplice(fd, b:at(0, 100)), 100)
expect(ring(fd), "head=1 tail=0 | 0:b1[0]@0+100")
