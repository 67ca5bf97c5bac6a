-- SPDX-License-Identifier: MIT
-- A page that came by vmsplice goes back to its owner, not into the pipe's spare pages.
local p = pipe{nonblock = true}
local b = buffer("8K")
expect(vmsplice(p.w, b), 8192)
expect(read(p.r, 8192), 8192)
expect(tmp_pages(p), 0)
