-- SPDX-License-Identifier: MIT
-- Rule 2 of shared clusters, broken: messages lie one right behind the other instead of each at the start of a cluster.
title("Shared clusters: not laid out in 2 KiB units")
watch("What an mbuf points at is a cluster, and what it sends begins where the cluster does. Three messages of 1400 bytes are packed: only the first begins where a cluster does, and the others go out cut at the wrong place.")
question("The third message was stored at byte 2800. What goes out of the third cluster?")

local m = mbuf_pool{clusters = 8}
local b = clusters(m, 3)
local unit = 2048

local function store(distance)
    for i, letter in ipairs{"A", "B", "C"} do write_bytes(b, (i - 1) * distance, letter:rep(1400)) end
end
local function sent(i)
    expect(udp_send(m, b:at((i - 1) * unit, 1400), "share"), 1400)
    expect(card_fetch(m), 1400)
    return fetched(m)
end
local packed = task("packed", function()
    store(1400)
    expect(sent(1), "A x 1400")
    expect(sent(2), "B x 752, C x 648")
    expect(sent(3), "C x 104, 0 x 1296")
    expect(udp_send(m, b:at(1400, 1400), "share"), "EINVAL") -- no cluster begins there
    expect(udp_send(m, b:at(1400, 1400)), 1400)             -- copied, it does not matter where a message lies
    expect(card_fetch(m), 1400)
    expect(fetched(m), "B x 1400")
end)
local in_units = task("units", function()
    store(unit)
    for i, letter in ipairs{"A", "B", "C"} do expect(sent(i), letter .. " x 1400") end
end)
run(packed)
run(in_units)
