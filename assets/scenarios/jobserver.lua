-- SPDX-License-Identifier: MIT
-- make -j3: two tokens in a pipe, a byte each; whoever holds one may run a job.
title("A jobserver")
watch("A job reads a token and writes it back when it is done. Readers wait exclusively: one token that comes back wakes one of them, and he takes it.")
question("What if a job dies without giving its token back? And what if the pipe had one slot?")

local tokens = pipe()
local work = buffer{size = "16K", name = "work"}
write(tokens.w, "++")

for i = 1, 4 do
    task("job " .. i, function()
        read(tokens.r, 1)
        local own = pipe() -- the job
        for _ = 1, 3 do write(own.w, work, 16384) read(own.r, 16384) end
        write(tokens.w, "+")
    end, {cpu = i - 1})
end
