-- SPDX-License-Identifier: MIT
-- A signal ends read, splice, tee and vmsplice alike.
local p, q, n, b = pipe(), pipe(), null(), buffer("64K")
local function interrupted(name, f)
    local t = task(name, f)
    expect(run(t), "blocked")
    expect(kill(t, "SIGUSR1"), 0)
    expect(run(t), "EINTR")
end
interrupted("read", function() return read(p.r, 1) end)
interrupted("splice", function() return splice(p.r, nil, n, nil, 1) end)
interrupted("tee", function() return tee(p.r, q.w, 1) end)
interrupted("vmsplice out", function() return vmsplice(p.r, b) end)
expect(write(q.w, b), 65536)
interrupted("vmsplice in", function() return vmsplice(q.w, b) end)
