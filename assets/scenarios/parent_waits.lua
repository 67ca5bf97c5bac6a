-- SPDX-License-Identifier: MIT
-- The parent waits for the child to end before it reads what the child writes.
title("A parent that waits first")
watch("The child fills the pipe and sleeps until somebody reads. The parent sleeps until the child has ended. Nobody ever runs again.")
question("With a shorter output the program works. How much shorter, and is it a number of bytes?")

local out, gone = pipe(), pipe()
local text = buffer{size = "128K", name = "text"}

task("child", function()
    write(out.w, text, 70000)
    close(gone.w) -- what waitpid() would tell
end, {cpu = 0})

task("parent", function()
    read(gone.r, 1)
    repeat until read(out.r, 65536) == 0
end, {cpu = 1})
