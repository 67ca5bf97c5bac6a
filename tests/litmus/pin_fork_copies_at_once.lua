-- SPDX-License-Identifier: MIT
-- A page that may be pinned is copied for the child when it is forked: the parent's stores stay where the device looks.
kernel{min = "5.10"}
local go, b, c = pipe(), buffer("4K"), buffer("4K")
write_bytes(b, 0, "a")
expect(pin_pages(b), 1)
local t = fork(function()
    read(go.r, 1)
    return bytes(b, 0, 1)
end)
expect(run(t), "blocked")
expect(page(b, 0).mapcount, 1)          -- the child has one of its own
expect(page(c, 0).mapcount, 2)          -- and shares what is not pinned
expect(entry(b, 0), "P RW US A D NX")
expect(entry(c, 0), "P US A D NX")
write_bytes(b, 0, "b")
expect(page(b, 0).pincount, 1)          -- the same page still
expect(write(go.w, "x"), 1)
expect(run(t), "a")
expect(unpin_pages(b), 1)
