-- SPDX-License-Identifier: MIT
-- Until 6.14: what takes bytes out of the pipe by splice stops at the slot of length 0 that a faulting write left.
kernel{max = "6.14"}
local p = pipe{nonblock = true}
local b, c, f = buffer("8K"), buffer("64K"), file{size = 0}
local function after(out)
  expect(write(p.w, b, 4096), 4096)
  expect(write(p.w, b:at(8192), 100), "EFAULT")
  expect(out(), 4096)
  expect(fionread(p.r), 0)
  expect(poll(p.r), "IN")
  expect(splice(p.r, nil, null(), nil, 65536, "SPLICE_F_NONBLOCK"), "EAGAIN") -- the next call finds it first, and eats it
  expect(poll(p.r), "")
end
after(function() return splice(p.r, nil, null(), nil, 65536) end)
after(function() return vmsplice(p.r, c) end)
after(function() return splice(p.r, nil, f, nil, 4096) end) -- all that was asked for; with more, this call would look again
expect(ring(p), "head=6 tail=6")
