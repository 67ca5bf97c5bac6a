-- SPDX-License-Identifier: MIT
-- A splice of 0 bytes is done before its flags are looked at; tee looks first.
local p, q, n = pipe(), pipe(), null()
expect(splice(p.r, nil, n, nil, 0, 16), 0)
expect(tee(p.r, q.w, 0, 16), "EINVAL")
expect(tee(p.r, q.w, 0), 0)
