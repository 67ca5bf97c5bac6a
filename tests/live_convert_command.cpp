// SPDX-License-Identifier: MIT
// Records of a command as events: tasks, programs, pipes and descriptors that are told of when they are met, and notes.
#include "sim/live/convert.hpp"
#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/syscall.h>

using namespace pipescope;

namespace {

constexpr std::uint64_t start = 1'000'000;

// A command nothing is known of before its first call: task records and calls on pipes by address and inode.
struct Foreign {
    LiveFacts facts;
    FrameUsers users;
    RecordedWorld world;
    StringTable strings;
    std::vector<Event> events;
    State state;
    RecordConverter converter{facts, users, world, strings, start};
    std::uint64_t t = start;
    bool refused = false;

    Foreign() { converter.know(100, 100, "sh"); }
    void add(const rec_head& head) {
        const std::size_t from = events.size();
        converter.add(head, events);
        for (std::size_t i = from; i < events.size(); ++i) refused = !apply(state, events[i]) || refused;
    }
    void task(rec_kind kind, std::uint32_t tid, std::uint32_t other, std::uint32_t tgid, const char* comm) {
        rec_task r{};
        r.head = {++t, tid, static_cast<std::uint16_t>(kind), 0};
        r.other = other, r.tgid = tgid;
        std::string(comm).copy(r.comm, sizeof r.comm);
        add(r.head);
    }
    rec_call_info& call(rec_kind kind, std::uint32_t tid, std::uint32_t nr, std::uint64_t pipe, std::uint64_t ino, std::uint32_t fd, std::uint32_t flags,
        std::int64_t result = 0) {
        call_ = {};
        call_.head = {++t, tid, static_cast<std::uint16_t>(kind), 0};
        call_.nr = nr, call_.pipe = pipe, call_.ino = ino, call_.fd = fd, call_.file_flags = flags, call_.result = result;
        return call_;
    }
    rec_call_info call_{};
    std::string name(std::size_t task) const { return std::string(strings[state.tasks[task].name]); }
};

} // namespace

TEST_CASE("convert: who only closes the ends it was born with is no task, and another program is another one") {
    Foreign f;
    f.task(rec_fork, 100, 101, 101, "sh");
    f.add(f.call(rec_enter, 101, SYS_close, 0x10, 1, 3, O_RDONLY).head);
    f.add(f.call(rec_exit, 101, SYS_close, 0x10, 1, 3, O_RDONLY).head);
    CHECK(f.events.empty());
    f.task(rec_exec, 101, 101, 101, "yes");
    f.add(f.call(rec_enter, 101, SYS_write, 0x10, 1, 1, O_WRONLY).head);
    f.add(f.call(rec_exit, 101, SYS_write, 0x10, 1, 1, O_WRONLY, 5).head);
    REQUIRE(f.state.tasks.size() == 1);
    CHECK(f.name(0) == "yes");
    CHECK(f.state.tasks[0].pid == 101);
    f.task(rec_exec, 101, 101, 101, "no");
    CHECK(f.state.tasks[0].run == RunState::exited);
    f.add(f.call(rec_enter, 101, SYS_write, 0x10, 1, 1, O_WRONLY).head);
    REQUIRE(f.state.tasks.size() == 2);
    CHECK(f.name(1) == "no");
    CHECK(f.state.tasks[1].mm != f.state.tasks[0].mm);
    f.task(rec_gone, 101, 101, 101, "no");
    CHECK(f.state.tasks[1].run == RunState::exited);
    f.add(f.call(rec_enter, 101, SYS_write, 0x10, 1, 1, O_WRONLY).head); // it is gone: whoever has its number now is a stranger
    CHECK(f.state.tasks.size() == 2);
    CHECK(!f.refused);
}

TEST_CASE("convert: a thread that executes a program takes its leader's place, and a process outlives its leader") {
    Foreign f;
    f.task(rec_fork, 100, 102, 100, "sh"); // a thread
    f.add(f.call(rec_enter, 102, SYS_write, 0x10, 1, 4, O_WRONLY).head);
    f.add(f.call(rec_exit, 102, SYS_write, 0x10, 1, 4, O_WRONLY, 5).head);
    f.task(rec_gone, 100, 100, 100, "sh");
    f.add(f.call(rec_enter, 102, SYS_write, 0x10, 1, 5, O_WRONLY).head); // its descriptors are there still
    f.add(f.call(rec_exit, 102, SYS_write, 0x10, 1, 5, O_WRONLY, 5).head);
    REQUIRE(f.state.tasks.size() == 1);
    f.task(rec_exec, 102, 100, 100, "cat");
    CHECK(f.state.tasks[0].run == RunState::exited);
    f.add(f.call(rec_enter, 100, SYS_write, 0x10, 1, 1, O_WRONLY).head);
    f.add(f.call(rec_exit, 100, SYS_write, 0x10, 1, 1, O_WRONLY, 5).head);
    REQUIRE(f.state.tasks.size() == 2);
    CHECK(f.name(1) == "cat");
    CHECK(!f.refused);
}

TEST_CASE("convert: many pipes, known by address and inode; threads share descriptors, processes do not") {
    Foreign f;
    const auto move = [&](std::uint32_t tid, std::uint32_t nr, std::uint64_t pipe, std::uint64_t ino, std::uint32_t fd, std::uint32_t flags) {
        f.add(f.call(rec_enter, tid, nr, pipe, ino, fd, flags).head);
        f.add(f.call(rec_exit, tid, nr, pipe, ino, fd, flags, 10).head);
    };
    move(100, SYS_write, 0x10, 1, 4, O_WRONLY | O_NONBLOCK);
    f.task(rec_fork, 100, 102, 100, "sh"); // a thread
    f.task(rec_fork, 100, 103, 103, "sh"); // a process
    move(102, SYS_write, 0x10, 1, 4, O_WRONLY | O_NONBLOCK);
    move(103, SYS_read, 0x10, 1, 4, O_RDONLY);
    move(103, SYS_write, 0x20, 2, 5, O_WRONLY);
    REQUIRE(f.state.tasks.size() == 3);
    CHECK(f.state.tasks[1].fds == f.state.tasks[0].fds);
    CHECK(f.state.tasks[2].fds != f.state.tasks[0].fds);
    REQUIRE(f.state.pipes.size() == 2);
    CHECK(f.state.pipes[1].inode == 2);
    CHECK(f.state.pipes[0].source == RingSource::kernel);
    CHECK(f.state.files.size() == 3); // 4 of the first process, 4 and 5 of the second
    CHECK((f.state.files[0].flags & F_nonblock) != 0);
    CHECK(f.converter.bytes() == 10); // what was read
    move(100, SYS_write, 0x10, 3, 4, O_WRONLY); // the memory and the number serve another pipe
    REQUIRE(f.state.pipes.size() == 3);
    CHECK(f.state.pipes[0].freed);
    CHECK(f.state.files.size() == 4);
    CHECK(f.state.files[0].refs == 0);
    f.add(f.call(rec_enter, 100, SYS_close, 0x10, 3, 4, O_WRONLY).head);
    f.add(f.call(rec_exit, 100, SYS_close, 0x10, 3, 4, O_WRONLY).head);
    CHECK(f.state.files[3].refs == 0);
    CHECK(!f.refused);
}

TEST_CASE("convert: what is counted inside a call, and between samples, is told in notes") {
    Foreign f;
    const auto note = [&](const char* text) -> const Event* {
        for (const Event& e : f.events)
            if (e.kind == EventKind::note && f.strings[e.a] == text) return &e;
        return nullptr;
    };
    f.add(f.call(rec_enter, 100, SYS_write, 0x10, 1, 4, O_WRONLY).head);
    rec_call_info& c = f.call(rec_exit, 100, SYS_write, 0x10, 1, 4, O_WRONLY, 8192);
    c.allocs = 2, c.pages = 3, c.faults = 4, c.slow = 5, c.stage_ns[stage_gup] = 6;
    f.add(c.head);
    REQUIRE(note(allocs_note));
    CHECK(note(allocs_note)->x == 3);
    CHECK(note(allocs_note)->y == 2);
    CHECK(note(faults_note)->x == 4);
    CHECK(note(slow_note)->x == 5);
    CHECK(note(stage_notes[stage_gup])->x == 6);
    CHECK(note(stage_notes[stage_wake]) == nullptr);
    rec_call_info& sample = f.call(rec_sample, 100, SYS_read, 0x10, 1, 3, O_RDONLY, 100);
    sample.calls = 1000, sample.bytes = 4096000, sample.idle = 7;
    f.add(sample.head);
    REQUIRE(note(sample_note));
    CHECK(note(sample_note)->x == 1000);
    CHECK(note(sample_note)->y == 4096000);
    CHECK(note(idle_note)->x == 7);
    CHECK(f.converter.bytes() == 4096000);
    CHECK(!f.refused);
}

TEST_CASE("convert: a splice asleep in what is at its other side does not wait for the pipe") {
    Foreign f;
    const auto off = [&](std::uint32_t fill) {
        const rec_small r{{++f.t, 100, rec_off_cpu, 0}, 1, fill};
        f.add(r.head);
    };
    f.add(f.call(rec_enter, 100, SYS_splice, 0x10, 1, 3, O_RDONLY).head);
    off(fill_part);
    CHECK(f.state.tasks[0].run == RunState::sleep);
    CHECK(f.state.pipes[0].wait[0].empty());
    f.add(f.call(rec_exit, 100, SYS_splice, 0x10, 1, 3, O_RDONLY).head);
    f.add(f.call(rec_enter, 100, SYS_splice, 0x10, 1, 3, O_RDONLY).head);
    off(fill_empty);
    CHECK(f.state.tasks[0].wait_for == WaitFor::data);
    CHECK(f.state.pipes[0].wait[0].size() == 1);
    CHECK(!f.refused);
}
