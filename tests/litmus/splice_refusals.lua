-- SPDX-License-Identifier: MIT
-- What splice and tee refuse: one pipe twice, two files, an offset into a pipe, wrong ends, unknown flags.
local p, f, n = pipe{nonblock = true}, file{size = 100}, null()
expect(splice(p.r, nil, p.w, nil, 1), "EINVAL")
expect(tee(p.r, p.w, 1), "EINVAL")
expect(splice(f, nil, f, nil, 1), "EINVAL")
expect(splice(p.r, 0, n, nil, 1), "ESPIPE")
expect(splice(p.r, nil, n, nil, 1, 16), "EINVAL")
expect(splice(p.w, nil, n, nil, 1), "EBADF")
expect(splice(n, nil, p.w, nil, 1), "EINVAL")
expect(tee(f, p.w, 1), "EINVAL")
expect(tee(p.w, p.r, 1), "EBADF")
