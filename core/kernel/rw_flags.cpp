// SPDX-License-Identifier: MIT
// What a call's own flags make of it: RWF_NOWAIT and RWF_NOSIGNAL; fs/read_write.c, include/linux/fs.h.
#include "core/kernel/kernel.hpp"

namespace pipescope {

// kiocb_set_rw_flags: what a call's own flags make of the file's.
long Kernel::kiocb_flags(const Call& c, const File& f, std::uint32_t& file_flags) const {
    const std::uint32_t known = PS_RWF_NOWAIT | (version.rwf_nosignal ? std::uint32_t{PS_RWF_NOSIGNAL} : 0);
    if (c.flags & ~known) return -EOPNOTSUPP;
    if (c.flags & PS_RWF_NOWAIT) {
        if (f.kind == FileKind::pipe && !(f.flags & F_nowait)) return -EOPNOTSUPP;
        file_flags |= F_nonblock;
    }
    if (c.flags & PS_RWF_NOSIGNAL) file_flags |= F_nosignal;
    return 0;
}

void Kernel::pipe_clear_nowait(TaskId me, int fd) {
    const FileId id = s.fdtables[s.tasks[me].fds][static_cast<std::size_t>(fd)];
    const std::uint32_t flags = s.files[id].flags;
    if (s.files[id].kind == FileKind::pipe && (flags & F_nowait)) emit(EventKind::file_flags, me, no_id, id, 0, flags & ~std::uint32_t{F_nowait});
}

} // namespace pipescope
