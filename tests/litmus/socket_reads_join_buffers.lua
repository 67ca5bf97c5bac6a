-- SPDX-License-Identifier: MIT
-- A stream has no borders: one read takes from several buffers; a datagram socket gives one a read.
local s, d = socketpair{nonblock=true}, socketpair{type="dgram", nonblock=true}
local b, t = buffer("4K"), buffer("4K")

for _, k in ipairs{s, d} do
  write_bytes(b, 0, "onetwo")
  expect(write(k.a, b:at(0, 3)), 3)
  expect(write(k.a, b:at(3, 3)), 3)
end
expect(read(s.b, t), 6)
expect(bytes(t, 0, 6), "onetwo")
expect(read(d.b, t:at(0, 2)), 2)
expect(read(d.b, t), 3)
expect(bytes(t, 0, 3), "two")
