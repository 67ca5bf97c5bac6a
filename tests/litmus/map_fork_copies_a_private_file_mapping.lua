-- SPDX-License-Identifier: MIT
-- fork() copies the entries of a private file mapping once a store has been made to it: those of the file's pages too.
local f = file{size = 8192}
local m = buffer{size = "8K", file = f}
bytes(m, 0, 1)
expect(page(m, 1).mapcount, 1)
local untouched = fork(function() return 1 end)
expect(page(m, 1).mapcount, 1)
expect(run(untouched), 1)
write_bytes(m, 0, "mine")
local c = fork(function() return bytes(m, 0, 4) end)
expect(page(m, 1).mapcount, 2)
expect(page(m, 0).mapcount, 2)
expect(entry(m, 0), "P US A D NX")
expect(run(c), "mine")
expect(page(m, 1).mapcount, 1)
