-- SPDX-License-Identifier: MIT
local bug = kernel{version = "5.10", features = "resize-no-wake"}
title("Room was made, and nobody was told")
watch("The writer's run state after F_SETPIPE_SZ: sixteen free slots, and it sleeps.")
question("Which call could wake it in the end?")

local p, b = pipe(), buffer("64K")
expect(write(p.w, b), 65536)
local w = task("writer", function() return write(p.w, b, 4096) end)
expect(run(w), "blocked")
expect(fcntl(p.w, "F_SETPIPE_SZ", "128K"), 131072)
expect(run(w), bug and "blocked" or 4096)

-- The next read did in 5.4, which woke for every slot. Since 5.5 a read wakes only where the ring was full.
expect(read(p.r, 4096), 4096)
expect(fionread(p.r), bug and 61440 or 65536)
