-- SPDX-License-Identifier: MIT
-- 1025 pieces are refused before anything is looked at; 1024 are not.
local p = pipe{nonblock = true}
local b = buffer("4K")
local list = {}
for i = 1, 1024 do list[i] = b:at(i - 1, 1) end
expect(writev(p.w, list), 1024)
expect(vmsplice(p.w, list), 15) -- a slot each, beside the one in use
list[1025] = b:at(0, 1)
expect(writev(p.w, list), "EINVAL")
expect(readv(p.r, list), "EINVAL")
expect(vmsplice(p.w, list), "EINVAL")
