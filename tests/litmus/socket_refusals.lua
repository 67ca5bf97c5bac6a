-- SPDX-License-Identifier: MIT
-- What a socket is not: no pipe for vmsplice and tee, no offset, no partner for splice.
kernel{min = "5.12"}
local s = socketpair{nonblock=true}
local p = pipe{nonblock=true}
local b, f = buffer("4K"), file{size=100}

expect(vmsplice(s.a, b), "EBADF")
expect(tee(s.a, p.w, 10), "EINVAL")
expect(splice(s.a, 0, p.w, nil, 10), "EINVAL")
expect(write(p.w, b, 10), 10)
expect(splice(p.r, nil, s.a, 0, 10), "EINVAL")
expect(splice(s.a, s.b, 10), "EINVAL")
expect(fcntl(s.a, "F_GETPIPE_SZ"), "EBADF")
expect(sendfile(p.w, s.a, nil, 10), "EAGAIN")
expect(sendfile(f, s.a, nil, 10), "EINVAL")
expect(sendfile(s.a, f, nil, 100), 100)
expect(fionread(s.b), 100)
