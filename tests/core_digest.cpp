// SPDX-License-Identifier: MIT
// digest(): equal for equal states, different as soon as any field of anything differs.
#include "core/state.hpp"
#include <doctest/doctest.h>
#include <functional>
#include <set>

using namespace pipescope;

namespace {

// One of everything.
State full() {
    State s;
    s.pages.resize(3);
    s.tables.resize(1);
    s.free_pages[0] = {2};
    s.mms.push_back({2, {{0x1000, 0x2000, 1}}, 4});
    s.tlbs.emplace_back();
    s.pages.giants().emplace_back();
    s.buffers.emplace_back();
    Pipe& p = s.pipes.emplace_back();
    p.ring_size = 2;
    p.bufs.resize(2);
    p.mutex.waiters = {0};
    p.wait[0] = {{0, true}};
    p.wait[1] = {{0, false}};
    s.files.emplace_back();
    s.inodes.push_back({0, 10, {{0, 2}}});
    s.fifos.emplace_back();
    s.epolls.emplace_back();
    Socket& k = s.sockets.emplace_back();
    k.wait.emplace_back();
    k.queue.emplace_back().frags.emplace_back();
    s.fdtables.push_back({0});
    s.tasks.emplace_back();
    s.bytes[2] = std::make_shared<PageBytes>();
    return s;
}

using Change = std::function<void(State&)>;

const std::vector<Change>& changes() {
    static const std::vector<Change> all = [] {
        std::vector<Change> v;
        const auto add = [&](Change c) { v.push_back(std::move(c)); };
#define CHANGE(...) add([](State& s) { __VA_ARGS__; })
        CHANGE(++s.t_ns);
        CHANGE(++s.next_page);
        CHANGE(++s.lost);
        CHANGE(++s.bytes_copied);
        CHANGE(s.last_task = 0);
        // Lengths, also of empty things
        CHANGE(s.pages.emplace_back());
        CHANGE(s.tables.emplace_back());
        CHANGE(s.free_pages[0].push_back(0));
        CHANGE(s.free_pages[1].push_back(2); s.free_pages[0].clear());
        CHANGE(s.mms.emplace_back());
        CHANGE(s.mms[0].vmas.emplace_back());
        CHANGE(s.buffers.emplace_back());
        CHANGE(s.pipes.emplace_back());
        CHANGE(s.pipes[0].bufs.emplace_back());
        CHANGE(s.pipes[0].mutex.waiters.push_back(0));
        CHANGE(s.pipes[0].wait[0].emplace_back());
        CHANGE(s.pipes[0].wait[1].emplace_back());
        CHANGE(s.files.emplace_back());
        CHANGE(s.inodes.emplace_back());
        CHANGE(s.inodes[0].pages[1] = 2);
        CHANGE(s.fifos.emplace_back());
        CHANGE(s.epolls.emplace_back());
        CHANGE(s.fdtables.emplace_back());
        CHANGE(s.fdtables[0].push_back(no_id));
        CHANGE(s.tasks.emplace_back());
        // Contents
        CHANGE(s.bytes[1] = std::make_shared<PageBytes>());
        CHANGE(s.bytes[2] = nullptr);
        for (const std::size_t at : {0u, 7u, 8u, 4095u})
            add([at](State& s) {
                auto copy = std::make_shared<PageBytes>();
                (*copy)[at] = 1;
                s.bytes[2] = copy;
            });
        CHANGE(s.tables[0][0] = 1);
        CHANGE(s.tables[0][511] = 1);
        CHANGE(s.free_pages[0][0] = 1);
        CHANGE(s.fdtables[0][0] = 1);
        // Pages
#define PAGE(field, value) CHANGE(s.pages[2].field = value)
        PAGE(refcount, -1);
        PAGE(mapcount, 1);
        PAGE(entire_mapcount, 1);
        PAGE(own_mapcount, 1);
        PAGE(flags, 1);
        PAGE(compound_head, 1);
        PAGE(order, 1);
        PAGE(owner, PageOwner::user);
        PAGE(seen, 1);
        PAGE(has_bytes, 1);
        PAGE(last_cpu, 1);
        PAGE(table, 1);
        PAGE(user_task, 1);
        PAGE(user_index, 1);
        PAGE(pincount, 1);
        PAGE(pfn, 1);
        CHANGE(s.pages.giants().emplace_back());
        CHANGE(s.pages.giants()[0].head.refcount = 1);
        CHANGE(s.pages.giants()[0].tail.has_bytes = 1);
        CHANGE(s.tlbs.emplace_back());
        CHANGE(s.tlbs[0].small[63].mm = 0);
        CHANGE(s.tlbs[0].small[63].addr = 1);
        CHANGE(s.tlbs[0].small[63].entry = 1);
        CHANGE(s.tlbs[0].huge[31].addr = 1);
        CHANGE(s.tlbs[0].giant[3].addr = 1);
        CHANGE(s.tlbs[0].hits = 1);
        CHANGE(s.tlbs[0].misses = 1);
        CHANGE(s.tlbs[0].flushes = 1);
        CHANGE(s.tlbs[0].invlpgs = 1);
        CHANGE(s.mms[0].levels = 5);
        // Address spaces, buffers, files
        CHANGE(s.mms[0].pgd = 1);
        CHANGE(s.mms[0].vmas[0].start = 0);
        CHANGE(s.mms[0].vmas[0].end = 0);
        CHANGE(s.mms[0].vmas[0].flags = 0);
        CHANGE(s.mms[0].vmas[0].inode = 0);
        CHANGE(s.mms[0].vmas[0].pgoff = 1);
        CHANGE(s.buffers[0].name = 1);
        CHANGE(s.buffers[0].mm = 1);
        CHANGE(s.buffers[0].scratch = true);
        CHANGE(s.buffers[0].addr = 1);
        CHANGE(s.buffers[0].len = 1);
        CHANGE(s.files[0].kind = FileKind::null);
        CHANGE(s.files[0].flags = 1);
        CHANGE(s.files[0].pipe = 1);
        CHANGE(s.files[0].refs = 1);
        CHANGE(s.files[0].inode = 0);
        CHANGE(s.files[0].pos = 1);
        CHANGE(s.files[0].sock = 0);
        CHANGE(s.files[0].f_pipe = 1);
        CHANGE(s.inodes[0].name = 1);
        CHANGE(s.inodes[0].size = 11);
        CHANGE(s.inodes[0].pages[0] = 1);
        CHANGE(s.fifos[0].name = 1);
        CHANGE(s.fifos[0].pipe = 1);
        CHANGE(s.epolls[0].file = 1);
        CHANGE(s.epolls[0].events = 1);
        CHANGE(s.epolls[0].edge = true);
        CHANGE(s.epolls[0].ready = true);
        // Sockets
#define SOCKET(field, value) CHANGE(s.sockets[0].field = value)
        CHANGE(s.sockets.emplace_back());
        CHANGE(s.sockets[0].wait.emplace_back());
        CHANGE(s.sockets[0].queue.emplace_back());
        CHANGE(s.sockets[0].queue[0].frags.emplace_back());
        SOCKET(name, 1);
        SOCKET(type, SockType::dgram);
        SOCKET(peer, 0);
        SOCKET(shutdown, 1);
        SOCKET(err, 1);
        SOCKET(dead, true);
        SOCKET(sndbuf, 1);
        SOCKET(wmem, 1);
        SOCKET(wait[0].task, 1);
        SOCKET(queue[0].head, 1);
        SOCKET(queue[0].linear, 1);
        SOCKET(queue[0].consumed, 1);
        SOCKET(queue[0].truesize, 1);
        SOCKET(queue[0].owner, 1);
        SOCKET(queue[0].frags[0].page, 1);
        SOCKET(queue[0].frags[0].offset, 1);
        SOCKET(queue[0].frags[0].size, 1);
        // Pipes
#define PIPE(field, value) CHANGE(s.pipes[0].field = value)
        PIPE(name, 1);
        PIPE(inode, 1);
        PIPE(mutex.owner, 0);
        PIPE(mutex.waiters[0], 1);
        PIPE(mutex.handoff, 0);
        PIPE(waiting_writers, 1);
        PIPE(wait[0][0].task, 1);
        PIPE(wait[0][0].exclusive, false);
        PIPE(wait[0][0].epoll, 1);
        PIPE(wait[1][0].task, 1);
        PIPE(wait[1][0].exclusive, true);
        PIPE(head, 1);
        PIPE(tail, 1);
        PIPE(max_usage, 1);
        PIPE(ring_size, 1);
        PIPE(nr_accounted, 1);
        PIPE(readers, 1);
        PIPE(writers, 1);
        PIPE(files, 1);
        PIPE(r_counter, 2);
        PIPE(w_counter, 2);
        PIPE(poll_usage, true);
        PIPE(freed, true);
        PIPE(torn, true);
        PIPE(source, RingSource::kernel);
        PIPE(tmp_page[0], 1);
        PIPE(tmp_page[1], 1);
        PIPE(observed_bytes, 1);
        PIPE(observed_size, 1);
        PIPE(bufs[1].page, 1);
        PIPE(bufs[1].offset, 1);
        PIPE(bufs[1].len, 1);
        PIPE(bufs[1].flags, 1);
        PIPE(bufs[1].ops, BufOps::anon);
        // Tasks
#define TASK(field, value) CHANGE(s.tasks[0].field = value)
        TASK(name, 1);
        TASK(mm, 1);
        TASK(fds, 1);
        TASK(pid, 1);
        TASK(cpu, 1);
        TASK(run, RunState::sleep);
        TASK(wait_for, WaitFor::data);
        TASK(pipe, 1);
        TASK(sys, Sys::read);
        TASK(last_sys, Sys::read);
        TASK(result, -11);
        TASK(depth, 1);
        TASK(path[0], Fn::pipe_read);
        TASK(path[7], Fn::pipe_read);
        TASK(line, 1);
        TASK(pending, 1);
        TASK(delivered, 1);
        TASK(calls, 1);
        TASK(bytes, 1);
        TASK(sleeps, 1);
        TASK(wakes, 1);
        TASK(frag.page, 1);
        TASK(frag.offset, 1);
#define EVENT(field, value)                                                                                                                          \
    TASK(call.field, value);                                                                                                                         \
    TASK(at.field, value)
        EVENT(t_ns, 1);
        EVENT(kind, EventKind::note);
        EVENT(spare, 1);
        EVENT(stage, Stage::w_copy);
        EVENT(task, 1);
        EVENT(pipe, 1);
        EVENT(a, 1);
        EVENT(b, 1);
        EVENT(c, 1);
        EVENT(x, 1);
        EVENT(y, 1);
        return v;
    }();
    return all;
}

} // namespace

TEST_CASE("digest: equal states, equal digests") {
    CHECK(digest(State{}) == digest(State{}));
    State a = full();
    const State b = a;
    CHECK(digest(a) == digest(b)); // contents shared
    a.bytes[2] = std::make_shared<PageBytes>(*b.bytes.at(2));
    CHECK(digest(a) == digest(b)); // contents equal
    CHECK(digest(a) != digest(State{}));
}

TEST_CASE("digest: any one field makes a difference") {
    std::set<std::uint64_t> seen{digest(full())};
    for (std::size_t i = 0; i < changes().size(); ++i) {
        CAPTURE(i);
        State s = full();
        changes()[i](s);
        CHECK(seen.insert(digest(s)).second); // unlike the original, and unlike every other change
    }
    CHECK(seen.size() == changes().size() + 1);
}
