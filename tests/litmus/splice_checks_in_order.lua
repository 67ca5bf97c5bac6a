-- SPDX-License-Identifier: MIT
-- What splice looks at first: no length, flags, descriptors, offsets, directions.
local p, q = pipe{nonblock = true}, pipe{nonblock = true}
local n = null()
expect(splice(p.r, nil, n, nil, 0, 16), 0)
expect(splice(p.r, nil, n, nil, 1, 16), "EINVAL")
expect(splice(99, nil, n, nil, 1), "EBADF")
expect(splice(p.r, 0, n, nil, 1), "ESPIPE")
expect(splice(p.w, nil, n, nil, 1), "EBADF")
expect(splice(p.r, nil, p.w, nil, 1), "EINVAL")
expect(splice(n, nil, p.w, nil, 1), "EINVAL")
expect(splice(n, nil, n, nil, 1), "EINVAL")
