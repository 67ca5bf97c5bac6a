-- SPDX-License-Identifier: MIT
-- yes | head: how an endless writer ends.
title("yes | head")
watch("head reads once, has its lines, and closes. yes sleeps on the full pipe; the close wakes it, and its write ends with SIGPIPE.")
question("How many bytes did yes write that nobody ever read?")

local p = pipe{slots = 4}
local lines = buffer{size = "4K", name = "lines"}

task("yes", function()
    local n, all = 0, 0
    repeat
        n = write(p.w, lines, 4096)
        if n ~= "EPIPE" then all = all + n end
    until n == "EPIPE"
    print("yes wrote " .. all .. " bytes; " .. signals())
end, {cpu = 0})

task("head", function()
    print("head got " .. read(p.r, 1024) .. " bytes")
    close(p.r)
end, {cpu = 1})
