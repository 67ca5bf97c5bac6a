-- SPDX-License-Identifier: MIT
-- The same datagram from a cluster that the program filled: no byte is copied, a reference keeps it.
title("A datagram, shared")
watch("The program takes clusters from the pool and fills them. Its mbufs point at them: the count of references goes from 1 to 2, and back when the card has fetched. 4096 bytes are cut into three frames that share two clusters.")
question("How many references has cluster 0 while the card waits, and whose are they?")

local m = mbuf_pool{clusters = 4}
local b = clusters(m, 2)

local program = task("program", function()
    write_bytes(b, 0, ("A"):rep(64))
    write_bytes(b, 2048, ("B"):rep(64))
    expect(udp_send(m, b:at(0, 64), "share"), 64)
    expect(packets(m), "packet 1, 64 bytes: [H 0/100] -> [c0@0+64 x2]\n")
end)
local card = task("card", function()
    expect(card_fetch(m), 64)
    expect(fetched(m), "A x 64")
end)
local long = task("long", function()
    expect(udp_send(m, b, "share"), 4096)
    expect(packets(m), "packet 1, 1472 bytes: [H 0/100] -> [c0@0+1472 x3]\n" ..
        "packet 2, 1480 bytes: [H 0/100] -> [c0@1472+576 x3] -> [c1@0+904 x3]\n" ..
        "packet 3, 1144 bytes: [H 0/100] -> [c1@904+1144 x3]\n")
    expect(card_fetch(m), 1472)
    expect(card_fetch(m), 1480)
    expect(fetched(m), "0 x 576, B x 64, 0 x 840")
    expect(card_fetch(m), 1144)
end)
run(program)
run(card)
run(long)
