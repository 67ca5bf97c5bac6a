-- SPDX-License-Identifier: MIT
local bug = kernel{version = "5.10", features = "close-wakes-one"}
title("End of file, for one of two")
watch("Both readers sleep exclusively. The last writer closes and wakes the queue once.")
question("For bytes one wake-up is enough, since a reader takes them away. What is different about end of file?")

local p = pipe()
local a, b = task("reader 1", function() return read(p.r, 1) end), task("reader 2", function() return read(p.r, 1) end)
expect(run(a), "blocked")
expect(run(b), "blocked")
expect(close(p.w), 0)
expect(run(a), 0)
expect(run(b), bug and "blocked" or 0)
