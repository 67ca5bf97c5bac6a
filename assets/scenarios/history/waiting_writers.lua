-- SPDX-License-Identifier: MIT
local bug = kernel{version = "5.10", features = "waiting-writers"}
title("A read that waits for the writer's last word")
watch("The ring has been read empty, the reader has 65536 bytes, and a writer sleeps: does the read come back?")
question("One long read in place of two: what did that cost a program that asked for O_NONBLOCK?")

local p, b = pipe(), buffer("64K")
expect(write(p.w, b), 65536)
local w = task("writer", function() return write(p.w, b, 4096) end)
expect(run(w), "blocked")

-- Up to 5.4 a read took in what sleeping writers had to say.
expect(read(p.r, 100000), bug and 69632 or 65536)
expect(run(w), 4096)
expect(fionread(p.r), bug and 0 or 4096)
