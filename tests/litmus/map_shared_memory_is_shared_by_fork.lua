-- SPDX-License-Identifier: MIT
-- Shared anonymous memory is a file without a name: fork copies no entry of it, and both see what the other stores.
local p = pipe{nonblock = true}
local m = buffer{size = "8K", shared = true, name = "m"}
write_bytes(m, 0, "before")
expect(page(m, 0).refcount, 2)
expect(vmsplice(p.w, m:at(0, 6)), 6)
expect(ring(p), "head=1 tail=0 | 0:m[0]@0+6")
local c = fork(function()
  local seen = bytes(m, 0, 6)
  write_bytes(m, 0, "child!")
  return seen
end)
expect(page(m, 0).mapcount, 1)
expect(run(c), "before")
expect(page(m, 0).mapcount, 1)
expect(bytes(m, 0, 6), "child!")
local b = buffer("4K")
expect(read(p.r, b), 6)
expect(bytes(b, 0, 6), "child!")
