-- SPDX-License-Identifier: MIT
-- The reader goes away while the writer sleeps: a partial result, and a signal.
title("The last reader closes")
watch("The close wakes everybody on both queues. The sleeping writer finds no reader left: SIGPIPE, and what it had written so far as its result.")
question("The first write returns 65536, the second EPIPE. At which of the two is SIGPIPE sent?")

local p = pipe{slots = 16}
local src = buffer{size = "128K", name = "src"}

task("writer", function()
    write(p.w, src, 100000)
    signals()
    write(p.w, src, 1)
    close(p.w)
end)

task("reader", function()
    read(p.r, 100)
    read(p.r, 100)
    close(p.r)
end)
