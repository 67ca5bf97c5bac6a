-- SPDX-License-Identifier: MIT
-- poll is not resumed, whatever the handler asks for.
local p = pipe()
for _, name in ipairs{"SIGUSR1", "SIGUSR2"} do
    local t = task(name, function() return poll(p.r, "wait") end)
    expect(run(t), "blocked")
    expect(kill(t, name), 0)
    expect(run(t), "EINTR")
end
