-- SPDX-License-Identifier: MIT
-- Up to 6.14 a pipe keeps one spare page.
kernel{max = "6.14"}
local p = pipe{nonblock = true}
local b = buffer("16K")
expect(write(p.w, b, 16384), 16384)
expect(read(p.r, 4096), 4096)
expect(tmp_pages(p), 1)
expect(read(p.r, 12288), 12288)
expect(tmp_pages(p), 1)
expect(write(p.w, b, 1), 1)
expect(tmp_pages(p), 0)
