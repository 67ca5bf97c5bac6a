-- SPDX-License-Identifier: MIT
-- Each page of a compound page has a map count: of the entries for it alone, and of those for the whole.
local b = buffer{size = "2M", huge = true}
expect(page(b, 7).mapcount, 1)
local c = fork(function() return 1 end)
expect(page(b, 7).mapcount, 2)
expect(munmap(b:at(4096, 4096)), 0)
expect(page(b, 7).mapcount, 2)
expect(run(c), 1)
expect(page(b, 7).mapcount, 1)
expect(page(b, 0).mapcount, 1)
expect(page(b, 0).order, 9)
