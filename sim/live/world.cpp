// SPDX-License-Identifier: MIT
// The first events of a recording.
#include "sim/live/world.hpp"

namespace pipescope {

void world_events(const RecordedWorld& world, StringTable& strings, std::vector<Event>& out) {
    const auto emit = [&](EventKind kind) -> Event& {
        out.push_back({});
        out.back().kind = kind;
        return out.back();
    };
    for (std::uint32_t t = 0; t < world.tasks.size(); ++t) {
        const RecordedTask& task = world.tasks[t];
        emit(EventKind::mm_new).a = t;
        emit(EventKind::fdtable_new).a = t;
        Event& e = emit(EventKind::task_new);
        e.task = t, e.a = strings.intern(task.name), e.b = t, e.c = t, e.x = task.pid, e.y = task.cpu;
        if (!task.buffer_bytes) continue;
        Event& buffer = emit(EventKind::buffer_new);
        buffer.a = strings.intern(task.reads ? "dst" : "src");
        buffer.b = t, buffer.x = task.buffer, buffer.y = task.buffer_bytes;
    }
    if (!world.slots) return;
    Event& pipe = emit(EventKind::pipe_new);
    pipe.pipe = 0, pipe.a = world.slots, pipe.b = strings.intern("pipe"), pipe.x = world.inode;
    Event& counts = emit(EventKind::pipe_counts);
    counts.pipe = 0, counts.a = 1, counts.b = 1, counts.c = 2, counts.x = 1, counts.y = 1;
    for (std::uint32_t t = 0; t < world.tasks.size(); ++t) {
        Event& file = emit(EventKind::file_new);
        file.a = t, file.b = static_cast<std::uint32_t>(FileKind::pipe), file.pipe = 0;
        file.c = (world.tasks[t].reads ? F_read : F_write) | (world.nonblock ? F_nonblock : 0u);
        Event& fd = emit(EventKind::fd_install);
        fd.a = t, fd.b = world.tasks[t].fd, fd.c = t;
    }
    if (world.to_null) {
        Event& null = emit(EventKind::file_new);
        null.a = static_cast<std::uint32_t>(world.tasks.size()), null.b = static_cast<std::uint32_t>(FileKind::null), null.c = F_write;
    }
    Event& source = emit(EventKind::ring_source);
    source.pipe = 0, source.a = static_cast<std::uint32_t>(world.source);
}

} // namespace pipescope
