-- SPDX-License-Identifier: MIT
local bug = kernel{version = "6.1.20", features = "resize-lost-wakeup"}
title("Woken a moment too early")
watch("max_usage at the moment when the writer wakes: the ring has 32 slots, and 16 of them may be used.")
question("Two lines in the wrong order. Why did it take from 5.8 to 6.8 to find them?")

local p, b = pipe(), buffer("64K")
expect(write(p.w, b), 65536)
local w = task("writer", function() return write(p.w, b, 4096) end)
expect(run(w), "blocked")

local r = task("resizer", function() return fcntl(p.w, "F_SETPIPE_SZ", "128K") end)
if bug then
    -- The array is new and the writer has been woken. It looks: 16 slots in use, 16 may be used.
    expect(run(r, "until", "z_usage"), "z_usage")
    expect(ring_size(p), 32)
    expect(max_usage(p), 16)
end
expect(run(r), 131072)
expect(max_usage(p), 32)
expect(run(w), bug and "blocked" or 4096) -- nobody wakes it a second time
