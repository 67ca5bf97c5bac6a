-- SPDX-License-Identifier: MIT
-- (echo red; echo green 1>&2) | echo blue: all that can come out.
title("Red, green and blue: three outcomes")
watch("Step the schedules that explore prints. What decides is whether the right side has gone before red is written, and who comes first to the terminal.")
question("Which of the three do you never see in your shell, and why not?")

local p, tty = pipe(), pipe()

task("left", function()
    if write(p.w, "red\n") == "EPIPE" then return end -- killed by SIGPIPE
    write(tty.w, "green\n")
end)

task("right", function()
    write(tty.w, "blue\n")
    close(p.r)
end)

outcome(function()
    local b = buffer("4K")
    local n = read(tty.r, b)
    return bytes(b, 0, n)
end)
