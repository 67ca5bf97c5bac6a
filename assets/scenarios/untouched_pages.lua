-- SPDX-License-Identifier: MIT
-- A buffer that was never written has no pages of its own: the pipe gets the zero page, again and again.
title("vmsplice of memory nobody has touched")
watch("The lockless walk stops at an empty entry; the slow path faults, and maps the one zero page there. All slots point at it.")
question("The program stores an X after the vmsplice. Will the reader see it?")

local p = pipe{slots = 8}
local b = buffer{size = "16K", touched = false, name = "b"}
local dst = buffer{size = "4K", name = "dst"}

task("program", function()
    vmsplice(p.w, b:at(0, 12288))
    write_bytes(b, 0, "X") -- now the buffer gets a page of its own; the pipe keeps the other
    read(p.r, dst, 1)
    print("the reader got byte " .. bytes(dst, 0, 1):byte())
end)
