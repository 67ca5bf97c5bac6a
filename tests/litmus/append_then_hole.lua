-- SPDX-License-Identifier: MIT
-- The odd bytes are in before the page behind them faults: a partial result.
kernel{min = "6.15"}
local p = pipe{nonblock = true}
local b = buffer("8K")
expect(write(p.w, b, 10), 10)
expect(write(p.w, b:at(7892), 4196), 100) -- 300 bytes are there
expect(ring(p), "head=1 tail=0 | 0:k1@0+110 M")
expect(tmp_pages(p), 1)
