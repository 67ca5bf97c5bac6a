-- SPDX-License-Identifier: MIT
local bug = kernel{version = "6.12", features = "wake-still-full"}
title("Woken for a ring that is as full as before")
watch("The writer during read(1): one byte of a slot frees no slot.")
question("The writer goes back to sleep, at the end of the queue. What does that do to a second writer?")

local p, b = pipe{slots = 1}, buffer("4K")
expect(write(p.w, b), 4096)
local first, second = task("first", function() return write(p.w, b) end), task("second", function() return write(p.w, b) end)
expect(run(first), "blocked")
expect(run(second), "blocked")

expect(read(p.r, 1), 1) -- up to 6.13 this wakes the first, who finds the ring full and queues again, behind the second
expect(read(p.r, 4095), 4095)
expect(run(first), bug and "blocked" or 4096)
expect(run(second), bug and 4096 or "blocked")
