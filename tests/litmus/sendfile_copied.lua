-- SPDX-License-Identifier: MIT
-- Up to 5.11 sendfile wrote the file's pages into the pipe: copies, which later writes may be appended to.
kernel{max = "5.11"}
local p, f = pipe{nonblock = true}, file{size = 9000}
expect(sendfile(p.w, f, nil, 100000), 9000)
expect(ring(p), "head=3 tail=0 | 0:k1@0+4096 M | 1:k2@0+4096 M | 2:k3@0+808 M")
expect(write(p.w, "x"), 1)
expect(fionread(p.r), 9001)
local d = buffer("12K")
expect(read(p.r, d, 9001), 9001)
expect(bytes(d, 0, 4), "ABCD")
expect(bytes(d, 9000, 1), "x")
expect(sendfile(p.w, f, nil, 10), 0)
expect(sendfile(p.w, f, 0, 4000), 4000)
expect(sendfile(p.w, f, 0, 90), 90)
expect(ring(p), "head=4 tail=3 | 3:k1@0+4090 M")
