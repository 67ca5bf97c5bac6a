// SPDX-License-Identifier: MIT
// Which way a call moves a pipe's bytes, by its kind and by the descriptor it was made with.
#pragma once
#include "core/state.hpp"

namespace pipescope {

enum class Way : std::uint8_t { none, in, out, unclear }; // into the pipe, out of it; unclear: the descriptor is not known

// The file behind a descriptor of a task; null where it is not known.
inline const File* file_of(const State& s, TaskId task, std::uint32_t fd) {
    const Task& t = s.tasks[task];
    if (t.fds >= s.fdtables.size() || fd >= s.fdtables[t.fds].size()) return nullptr;
    const FileId f = s.fdtables[t.fds][fd];
    return f < s.files.size() ? &s.files[f] : nullptr;
}

// `enter` is the call's sys_enter. vmsplice and splice go both ways: the descriptor in front says which. tee counts as
// neither: it takes nothing out, and the pipe it fills is another one.
inline Way way_of(const State& s, const Event& enter) {
    const File* f = enter.task < s.tasks.size() ? file_of(s, enter.task, enter.b) : nullptr;
    switch (static_cast<Sys>(enter.a)) {
    case Sys::read:
    case Sys::readv: return Way::out;
    case Sys::write:
    case Sys::writev: return Way::in;
    case Sys::vmsplice: return f && f->kind == FileKind::pipe && !(f->flags & F_write) ? Way::out : Way::in;
    case Sys::splice:
        if (!f) return Way::unclear;
        return f->kind == FileKind::pipe && f->flags & F_read ? Way::out : Way::in;
    default: return Way::none;
    }
}

} // namespace pipescope
