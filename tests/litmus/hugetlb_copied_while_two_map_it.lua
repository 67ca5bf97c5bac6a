-- SPDX-License-Identifier: MIT
-- As long as two processes map a hugetlb page a store copies all of it: the child keeps what it saw.
local go, out, b = pipe(), pipe(), buffer{size = "2M", hugetlb = "2M"}
write_bytes(b, 0, "a")
write_bytes(b, 300 * 4096, "z")
local t = fork(function()
    read(go.r, 1)
    return bytes(b, 0, 1)
end)
expect(run(t), "blocked")
expect(page(b, 0).mapcount, 2)
expect(entry(b, 0), "P US A D PSE NX")
write_bytes(b, 0, "b")
expect(page(b, 0).mapcount, 1)
expect(bytes(b, 300 * 4096, 1), "z")
expect(write(go.w, "x"), 1)
expect(run(t), "a")
