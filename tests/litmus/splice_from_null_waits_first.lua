-- That a source has no splice_read is found out only after the wait for space.
local n = null()
local full = pipe{slots=1, nonblock=true}
expect(write(full.w, "x"), 1)
expect(splice(n, nil, full.w, nil, 5), "EAGAIN")
local free = pipe{nonblock=true}
expect(splice(n, nil, free.w, nil, 5), "EINVAL")
local gone = pipe{nonblock=true}
close(gone.r)
expect(splice(n, nil, gone.w, nil, 5), "EPIPE")
expect(signals(), "SIGPIPE")
