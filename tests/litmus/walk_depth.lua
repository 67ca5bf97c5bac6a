-- SPDX-License-Identifier: MIT
-- A small page is found four levels down, one in a huge page three; nothing mapped, nothing found.
local b = buffer("8K")
local h = buffer{size = "2M", huge = true}
expect(walk(b, 0):match("-> .*"), "-> 4K")
expect(walk(h, 12345):match("pmd%[%d+%] .*"):match("-> .*"), "-> 2M")
expect(walk(b, 8192):match("-> .*"), "-> none") -- the hole behind it
expect(walk(b, 0):match("pte%[%d+%]") ~= walk(b, 4096):match("pte%[%d+%]"), true)
