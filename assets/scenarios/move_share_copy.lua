-- SPDX-License-Identifier: MIT
-- Three ways for a page to reach a reader: copied, shared, moved.
title("Copy, share, move")
watch("write copies the bytes into a page of the kernel's. vmsplice shares the writer's page: a later store shows. splice between pipes moves the slot itself with its reference: the page is the receiver's alone.")
question("After each of the three: who may write to the page, and who sees it?")

local p, q = pipe(), pipe()
local b, d = buffer{size = "4K", name = "b"}, buffer{size = "4K", name = "d"}

local function send(how, f)
    write_bytes(b, 0, "before")
    f()
    write_bytes(b, 0, "after!")
    print(how .. ": " .. ring(p))
    read(p.r, d)
    print("the reader gets " .. bytes(d, 0, 6))
end

task("program", function()
    send("copied", function() write(p.w, b, 6) end)
    send("shared", function() vmsplice(p.w, b:at(0, 6)) end)
    send("moved", function()
        write(q.w, b, 6)
        splice(q.r, nil, p.w, nil, 6)
    end)
end)
