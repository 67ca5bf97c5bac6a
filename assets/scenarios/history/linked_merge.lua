-- SPDX-License-Identifier: MIT
local bug = kernel{version = "5.10", features = "linked-merge"}
title("Two pipes append to one page")
watch("After tee both rings refer to one page. May the copy be appended to?")
question("tee promises that neither pipe sees what is done to the other. Which flag keeps that promise?")

local a, b = pipe{nonblock = true}, pipe{nonblock = true}
local d = buffer("4K")

expect(write(a.w, "abcd"), 4)
expect(tee(a.r, b.w, 4), 4)
expect(ring(b), "head=1 tail=0 | 0:k1@0+4" .. (bug and " M" or ""))

-- Behind the four bytes of the copy, in the page they share, or in a page of its own.
expect(write(b.w, "from B"), 6)
expect(write(a.w, "from A"), 6)

expect(read(b.r, d, 100), 10)
expect(bytes(d, 0, 10), bug and "abcdfrom A" or "abcdfrom B")
expect(read(a.r, d, 100), 10)
expect(bytes(d, 0, 10), "abcdfrom A")
