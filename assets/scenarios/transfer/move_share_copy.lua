-- SPDX-License-Identifier: MIT
-- Three ways for a page to reach a reader, side by side: copied, shared, moved. A BSD's copied and shared datagrams are in mbuf/.
title("Copy, share, move")
watch("write copies the bytes into a page of the kernel's: a later store does not show. vmsplice shares the writer's page: a later store shows. splice from pipe to pipe moves the slot itself with its reference: the page has one user at any time.")
question("After each of the three: who may write to the page, and who sees it?")

local p, q = pipe{slots = 4}, pipe{slots = 4}
local b, d = buffer{size = "4K", name = "b"}, buffer{size = "4K", name = "d"}

local function store_and_read(want) -- the writer goes on before the reader has read
    write_bytes(b, 0, "AFTER!")
    expect(read(p.r, d:at(0, 6)), 6)
    expect(bytes(d, 0, 6), want)
end
local copied = task("copy", function()
    write_bytes(b, 0, "before")
    expect(write(p.w, b, 6), 6)
    expect(ring(p), "head=1 tail=0 | 0:k1@0+6 M")
    store_and_read("before")
end)
local shared = task("share", function()
    write_bytes(b, 0, "before")
    expect(vmsplice(p.w, b:at(0, 6)), 6)
    expect(ring(p), "head=2 tail=1 | 1:b[0]@0+6")
    store_and_read("AFTER!")
end)
local moved = task("move", function()
    write_bytes(b, 0, "before")
    expect(write(q.w, b, 6), 6)
    expect(splice(q.r, p.w, 6), 6)
    expect(ring(q), "head=1 tail=1") -- the slot is gone here …
    expect(ring(p), "head=3 tail=2 | 2:k1@0+6 M") -- … and there as it was, with its page
    store_and_read("before")
end)
run(copied)
run(shared)
run(moved)
