-- SPDX-License-Identifier: MIT
-- Rule 1 of shared clusters, broken: a second message is stored where the first one still waits for the card.
title("Shared clusters: the buffer is reused at once")
watch("The call returns before the card has fetched anything. The second message goes into the same cluster, which the first one's mbuf still points at: that mbuf is marked, and its bytes are sent twice.")
question("Two messages are sent, A and then B. What does the other side receive?")

local m = mbuf_pool{clusters = 4}
local b = clusters(m, 1)

local function send(letter)
    write_bytes(b, 0, letter:rep(96))
    expect(udp_send(m, b:at(0, 96), "share"), 96)
end
local program = task("program", function()
    send("A")
    send("B") -- the card has not fetched A yet
    expect(packets(m), "packet 1, 96 bytes: [H 0/100] -> [c0@0+96 x3]\npacket 2, 96 bytes: [H 0/100] -> [c0@0+96 x3]\n")
end)
local card = task("card", function()
    expect(card_fetch(m), 96)
    expect(fetched(m), "B x 96") -- A is lost
    expect(card_fetch(m), 96)
    expect(fetched(m), "B x 96")
end)
-- As it is right: the next message waits until the card has fetched the one before.
local patient = task("patient", function()
    for _, letter in ipairs{"A", "B"} do
        send(letter)
        expect(card_fetch(m), 96)
        expect(fetched(m), letter .. " x 96")
    end
end)
run(program)
run(card)
run(patient)
