-- SPDX-License-Identifier: MIT
-- (echo red; echo green 1>&2) | echo blue
title("Red, green and blue")
watch("The right side never reads: when it has gone, red has no reader, and the left side dies of SIGPIPE before it comes to green. If it is quicker, both lines appear, in either order.")
question("Three outcomes are possible. Which one does this schedule give, and what would bring the others?")

local p, tty = pipe(), pipe()

task("left", function()
    if write(p.w, "red\n") == "EPIPE" then return "killed" end
    return write(tty.w, "green\n")
end, {cpu = 0})

task("right", function()
    write(tty.w, "blue\n")
    close(p.r)
end, {cpu = 1})
