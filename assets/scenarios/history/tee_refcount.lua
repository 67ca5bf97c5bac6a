-- SPDX-License-Identifier: MIT
local bug = kernel{version = "5.10", features = "tee-refcount"}
title("A reference count that wraps (CVE-2019-11487)")
watch("The count of the page: -1, 0, 1, and then a reader frees a page that is mapped and queued elsewhere.")
question("A count of 32 bits and four billion references: who else in a kernel counts like that?")

-- On a real machine the count takes four billion calls of tee to get here, and 160 GiB of slots to hold them.
-- pin() stands for those: references that nobody shows.
local p, q, r = pipe{nonblock = true}, pipe{nonblock = true}, pipe{nonblock = true}
local b, d = buffer{size = "4K", name = "victim"}, buffer("4K")
write_bytes(b, 0, "mine")
expect(vmsplice(p.w, b), 4096)
pin(b, 0, 0xfffffffd) -- mapped once, queued once: 2^32 - 1 in all
expect(page(b, 0).refcount, -1)

-- Since 5.1 nobody takes a reference on a page whose count is not above 0.
expect(tee(p.r, q.w, 4096), bug and 4096 or "EFAULT")
expect(fionread(q.r), bug and 4096 or 0)

if bug then
    expect(page(b, 0).refcount, 0)
    expect(tee(p.r, q.w, 4096), 4096)
    expect(page(b, 0).refcount, 1)
    expect(read(q.r, 4096), 4096) -- the last reference, as it seems: the page is freed, mapped as it is
    expect(write(r.w, "secret"), 6) -- and goes to the next who wants one
    expect(bytes(b, 0, 6), "secret")
end
