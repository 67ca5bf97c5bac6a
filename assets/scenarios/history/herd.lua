-- SPDX-License-Identifier: MIT
local bug = kernel{version = "5.10", features = "herd"}
title("One byte, and the whole herd runs")
watch("Who wakes up for one byte: count the runs between two sleeps of each reader.")
question("Four readers cost little. What does make -j 64 cost, whose jobs all wait for a token?")

local p = pipe()
local readers = {}
for i = 1, 4 do
    readers[i] = task("reader " .. i, function() return read(p.r, 1) end)
    expect(run(readers[i]), "blocked")
end

-- In one queue the last to come is the first to run. All four are woken, one finds the byte, three sleep again.
expect(write(p.w, "x"), 1)
expect(run(readers[1]), bug and "blocked" or 1)
expect(run(readers[4]), bug and 1 or "blocked")
expect(run(readers[2]), "blocked")
expect(run(readers[3]), "blocked")

-- Since 5.6 the queue is fair: who has waited longest gets the next byte.
expect(write(p.w, "x"), 1)
expect(run(readers[2]), bug and "blocked" or 1)
