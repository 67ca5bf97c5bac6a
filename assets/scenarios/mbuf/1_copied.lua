-- SPDX-License-Identifier: MIT
-- A datagram of 1400 bytes, copied from the program into a cluster of the kernel's.
title("A datagram, copied")
watch("sosend takes an mbuf and a cluster and copies 1400 bytes into it. When the call returns, the buffer is the program's again: what it stores there now is not sent.")
question("The program stores B over its message before the card has fetched anything. Which letter goes out?")

local m = mbuf_pool{clusters = 4}
local b = buffer{size = "4K", name = "b"}

local program = task("program", function()
    write_bytes(b, 0, ("A"):rep(1400))
    expect(udp_send(m, b:at(0, 1400)), 1400)
    expect(packets(m), "packet 1, 1400 bytes: [H 0/100] -> [c0@0+1400 x1]\n")
    write_bytes(b, 0, ("B"):rep(64))
end)
local card = task("card", function()
    expect(card_fetch(m), 1400)
    expect(fetched(m), "A x 1400")
    expect(packets(m), "")
    expect(card_fetch(m), "EAGAIN")
end)
run(program)
run(card)
