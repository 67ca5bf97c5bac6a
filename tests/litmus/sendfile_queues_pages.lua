-- SPDX-License-Identifier: MIT
-- sendfile into a pipe queues the file's pages without copying; what ends it is the end of the file.
kernel{min = "5.12"}
local p, f = pipe{nonblock = true}, file{size = 9000}
expect(sendfile(p.w, f, nil, 100000), 9000)
expect(ring(p), "head=3 tail=0 | 0:f1[0]@0+4096 | 1:f1[1]@0+4096 | 2:f1[2]@0+808")
expect(sendfile(p.w, f, nil, 10), 0)
