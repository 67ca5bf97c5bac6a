// SPDX-License-Identifier: MIT
// Streams of events for tests.
#include "tests/recording_events.hpp"
#include "core/state.hpp"
#include <filesystem>
#include <fstream>
#include <sstream>
#include <unistd.h>

namespace pipescope::test {
namespace {

class Stream {
public:
    explicit Stream(std::uint64_t seed) : random(seed) {}
    std::vector<Event> events;
    std::mt19937_64 random;
    std::uint64_t t = 0;

    Event& add(EventKind kind, TaskId task = no_id, PipeId pipe = no_id, std::uint32_t a = 0, std::uint32_t b = 0, std::uint32_t c = 0,
        std::uint64_t x = 0, std::uint64_t y = 0) {
        Event e;
        e.t_ns = t, e.kind = kind, e.task = task, e.pipe = pipe, e.a = a, e.b = b, e.c = c, e.x = x, e.y = y;
        return events.emplace_back(e);
    }
    void stage(Stage s, TaskId task, std::uint32_t a = 0, std::uint32_t b = 0, std::uint32_t c = 0, std::uint64_t x = 0, std::uint64_t y = 0) {
        add(EventKind::stage, task, 0, a, b, c, x, y).stage = s;
        t += 20 + random() % 30;
    }
    std::uint64_t below(std::uint64_t n) { return random() % n; }
};

void two_tasks(Stream& s, StringTable& strings, std::uint32_t slots) {
    const StringId names[] = {strings.intern("writer"), strings.intern("reader")};
    s.add(EventKind::pipe_new, no_id, 0, slots, strings.intern("p"));
    for (std::uint32_t i = 0; i < 2; ++i) {
        s.add(EventKind::mm_new, no_id, no_id, i);
        s.add(EventKind::fdtable_new, no_id, no_id, i);
        s.add(EventKind::task_new, i, no_id, names[i], i, i, 1000 + i, i);
        s.add(EventKind::file_new, no_id, 0, i, static_cast<std::uint32_t>(FileKind::pipe), i ? F_read : F_write);
        s.add(EventKind::fd_install, no_id, no_id, i, i ? 3 : 4, i);
    }
    s.add(EventKind::pipe_counts, no_id, 0, 1, 1, 2, 1, 1);
}

} // namespace

std::vector<Event> written_by_model(std::size_t n, StringTable& strings, std::uint64_t seed) {
    Stream s(seed);
    constexpr std::uint32_t slots = 16;
    two_tasks(s, strings, slots);
    constexpr PageId user = 100, kernel = 200;
    std::uint32_t head = 0, tail = 0;
    for (PageId p = 0; p < 4; ++p) {
        s.add(EventKind::page_alloc, 0, no_id, user + p, 0, static_cast<std::uint32_t>(PageOwner::user));
        s.add(EventKind::store, 0, no_id, user + p, 8 * p, 16, s.random(), s.random());
    }
    while (s.events.size() < n) {
        const TaskId task = head == tail ? 0 : head - tail == slots ? 1 : static_cast<TaskId>(s.below(2));
        const bool write = task == 0;
        const std::uint32_t slot = (write ? head : tail) % slots;
        const PageId from = user + static_cast<PageId>(s.below(4)), page = kernel + slot;
        s.t += 100 + s.below(900);
        const auto sys = static_cast<std::uint32_t>(write ? Sys::write : Sys::read);
        const auto fn = static_cast<std::uint32_t>(write ? Fn::pipe_write : Fn::pipe_read);
        s.add(EventKind::user_line, task, no_id, write ? 3 : 7);
        s.add(EventKind::sys_enter, task, 0, sys, write ? 4 : 3, 0, 0x7f0000001000 + std::uint64_t{from} * page_size, page_size);
        s.add(EventKind::fn_enter, task, no_id, fn);
        s.stage(write ? Stage::w_lock : Stage::r_lock, task);
        s.add(EventKind::mutex_lock, task, 0);
        if (write) {
            s.stage(Stage::w_readers, task, 0, 0, 0, 1);
            s.stage(Stage::w_full, task, 0, 0, 0, head - tail, head - tail == slots);
            s.stage(Stage::w_page, task, slot, page);
            s.add(EventKind::page_alloc, task, no_id, page, 0, static_cast<std::uint32_t>(PageOwner::kernel));
            s.stage(Stage::w_copy, task, slot, page, page_size, 0x7f0000001000);
            s.add(EventKind::copy, task, no_id, from, page, page_size);
            s.stage(Stage::w_insert, task, slot, page, page_size, head + 1);
            s.add(EventKind::buf_set, task, 0, slot, page, PIPE_BUF_FLAG_CAN_MERGE, page_size, static_cast<std::uint64_t>(BufOps::anon));
            s.add(EventKind::head_set, task, 0, ++head);
        } else {
            s.stage(Stage::r_empty, task, 0, 0, 0, head - tail);
            s.stage(Stage::r_copy, task, slot, page, page_size, 0x7f0000009000);
            s.add(EventKind::copy, task, no_id, page, from, page_size);
            s.stage(Stage::r_consume, task, slot, page, page_size, 0, page_size);
            s.add(EventKind::buf_move, task, 0, slot, page_size, 0);
            s.stage(Stage::r_release, task, slot, page);
            s.add(EventKind::page_ref, task, no_id, page, static_cast<std::uint32_t>(-1), 1);
            s.add(EventKind::page_free, task, no_id, page);
            s.add(EventKind::buf_clear, task, 0, slot);
            s.stage(Stage::r_tail, task, slot, 0, 0, tail + 1);
            s.add(EventKind::tail_set, task, 0, ++tail);
        }
        s.stage(write ? Stage::w_unlock : Stage::r_unlock, task);
        s.add(EventKind::mutex_unlock, task, 0);
        if (s.below(4) == 0) {
            s.stage(write ? Stage::w_sleep : Stage::r_sleep, task, 0, 0, page_size);
            s.add(EventKind::wq_add, task, 0, write, 1);
            s.add(EventKind::run_state, task, 0, static_cast<std::uint32_t>(RunState::sleep), write ? 1 : 2);
            s.t += 5000 + s.below(5000);
            s.add(EventKind::wake, 1 - task, 0, write, task, 1);
            s.add(EventKind::run_state, task, 0, static_cast<std::uint32_t>(RunState::running));
        }
        s.add(EventKind::fn_exit, task, no_id, fn);
        s.add(EventKind::sys_exit, task, 0, sys, 0, 0, page_size);
    }
    return std::move(s.events);
}

std::vector<Event> captured(std::size_t n, StringTable& strings, std::uint32_t slots, std::uint64_t seed) {
    Stream s(seed);
    two_tasks(s, strings, slots);
    s.add(EventKind::ring_source, no_id, 0, static_cast<std::uint32_t>(RingSource::kernel));
    std::vector<std::uint64_t> pfn(2 * slots);
    for (std::uint32_t i = 0; i < pfn.size(); ++i) {
        pfn[i] = 0x100000 + s.below(1 << 20);
        s.add(EventKind::page_seen, 0, no_id, 2 + i, 1, static_cast<std::uint32_t>(PageOwner::user) | seen_by_pfn << 16, pfn[i], 0x17ffffc0000000);
        s.add(EventKind::page_user, 0, no_id, 2 + i, 0, i, 0x7f1200000000 + std::uint64_t{i} * page_size);
    }
    std::uint32_t head = 0, tail = 0, half = 0;
    while (s.events.size() < n) {
        const TaskId task = head == tail ? 0 : 1;
        const bool write = task == 0;
        const auto sys = static_cast<std::uint32_t>(write ? Sys::vmsplice : Sys::splice);
        s.t += 300 + s.below(2500);
        s.add(EventKind::sys_enter, task, 0, sys, write ? 4 : 3, 0, 0x7f1200000000, std::uint64_t{slots} * page_size);
        s.t += 2000 + s.below(20000);
        if (write) head += slots, half ^= 1;
        else tail = head;
        s.add(EventKind::ring_begin, task, 0, head, tail, slots, slots);
        for (std::uint32_t i = tail; i != head; ++i) {
            const PageId page = 2 + half * slots + i % slots;
            s.add(EventKind::page_seen, task, no_id, page, 2, static_cast<std::uint32_t>(PageOwner::user) | seen_by_pfn << 16, pfn[page - 2],
                0x17ffffc0000000);
            s.add(EventKind::ring_slot, task, 0, i % slots, page, 0, page_size, static_cast<std::uint64_t>(BufOps::user_page));
        }
        s.add(EventKind::ring_end, task, 0, 1, 1, no_id);
        s.add(EventKind::sys_exit, task, 0, sys, 0, 0, std::uint64_t{slots} * page_size);
    }
    return std::move(s.events);
}

std::vector<Event> arbitrary(std::size_t n, std::uint64_t seed) {
    Stream s(seed);
    const auto word = [&] { // small, large and extreme values alike
        switch (s.below(4)) {
        case 0: return std::uint64_t{0} - s.below(2);
        case 1: return s.below(256);
        default: return s.random() >> s.below(64);
        }
    };
    const auto half = [&] { return static_cast<std::uint32_t>(word()); };
    while (s.events.size() < n) {
        const auto kind = static_cast<EventKind>(1 + s.below(static_cast<std::uint64_t>(EventKind::count) - 1));
        Event& e = s.add(kind, half(), half(), half(), half(), half(), word(), word());
        e.stage = static_cast<Stage>(s.below(static_cast<std::uint64_t>(Stage::count)));
        if (s.below(8) == 0) e.spare = static_cast<std::uint8_t>(s.random());
        s.t += s.below(3) ? s.below(100) : s.below(std::uint64_t{1} << 40);
    }
    return std::move(s.events);
}

std::vector<Event> arbitrary_of_few(std::size_t n, std::uint64_t seed) {
    std::vector<Event> out = arbitrary(n, seed);
    for (Event& e : out) {
        if (e.task != no_id) e.task %= 3;
        if (e.pipe != no_id) e.pipe %= 2;
        e.a %= 40, e.b %= 40, e.c %= 40;
    }
    return out;
}

TempFile::TempFile() {
    std::string name = (std::filesystem::temp_directory_path() / "pipescope-XXXXXX").string();
    if (const int fd = ::mkstemp(name.data()); fd >= 0) ::close(fd);
    path_ = name;
}
TempFile::~TempFile() {
    std::error_code ignored;
    std::filesystem::remove(path_, ignored);
}
std::string TempFile::contents() const {
    std::ostringstream s;
    s << std::ifstream(path_, std::ios::binary).rdbuf();
    return s.str();
}
void TempFile::write(std::string_view bytes) const {
    std::ofstream(path_, std::ios::binary | std::ios::trunc).write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

} // namespace pipescope::test
