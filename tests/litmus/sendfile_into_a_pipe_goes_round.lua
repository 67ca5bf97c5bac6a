-- SPDX-License-Identifier: MIT
-- sendfile of more than sixteen pages into a pipe that has the room goes round until all is there, whichever way it takes.
local p, f = pipe{nonblock = true}, file{size = 118593}
expect(fcntl(p.w, "F_SETPIPE_SZ", 262144), 262144)
expect(sendfile(p.w, f, 49208, 65552), 65552)
expect(fionread(p.r), 65552)
