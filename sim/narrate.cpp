// SPDX-License-Identifier: MIT
// The sentence of each kind of event, and the names of what it is about.
#include "sim/narrate.hpp"
#include "core/describe.hpp"
#include <algorithm>
#include <fmt/format.h>

namespace pipescope {
namespace {

using fmt::format;

const char* queue_name(std::uint32_t q) { return q == static_cast<std::uint32_t>(WaitQueue::wr) ? "wr_wait" : "rd_wait"; }

std::string slot_words(const State& s, const StringTable& names, const Event& e) {
    const std::string flags = buf_flags_string(e.c);
    return format("Slot {}: page {}, {} bytes at offset {}{}.", e.a, page_label(s, names, e.b), e.x & 0xffffffffu, e.x >> 32,
        flags.empty() ? "" : ", flags " + flags);
}

std::string world_event(const State&, const StringTable& names, const Event& e) {
    switch (e.kind) {
    case EventKind::mm_new: return format("Address space {} begins, its pgd is page {}.", e.a, e.b);
    case EventKind::fdtable_new: return format("Descriptor table {} begins.", e.a);
    case EventKind::task_new: return format("Task {} begins on cpu {}{}.", names[e.a], e.y, e.x ? format(", pid {}", e.x) : "");
    case EventKind::task_exit: return "Ends.";
    case EventKind::pipe_new: return format("A pipe with a ring of {} slots{}.", e.a, e.x ? format(", inode {}", e.x) : "");
    case EventKind::buffer_new:
        return names[e.a].empty() ? format("Memory of {} bytes at {:#x} for strings and for reads into nowhere.", e.y, e.x)
                                  : format("Buffer {} of {} bytes at {:#x}.", names[e.a], e.y, e.x);
    case EventKind::inode_new: return format("File {} of {} bytes is there.", names[e.b], e.x);
    case EventKind::inode_page:
        return e.c == no_page ? format("Page {} of inode {} leaves the page cache.", e.b, e.a)
                              : format("Page {} of inode {} is cached in page {}.", e.b, e.a, e.c);
    case EventKind::inode_size: return format("Inode {} has {} bytes.", e.a, e.x);
    case EventKind::file_pos: return format("The position in file {} is {}.", e.a, e.x);
    case EventKind::file_fpipe: return format("File {} remembers the writers of {}.", e.a, e.b);
    case EventKind::fifo_new: return format("A FIFO: {}.", names[e.b]);
    case EventKind::fifo_pipe: return e.pipe == no_id ? format("FIFO {} has no ring: nobody has it open.", e.a) : format("FIFO {} has a ring.", e.a);
    case EventKind::epoll_new: return format("An epoll item watches file {}{}.", e.x, e.c ? ", edge-triggered" : "");
    case EventKind::epoll_ready:
        return e.b ? format("Epoll item {} is on the ready list.", e.a) : format("Epoll item {} is off the ready list.", e.a);
    case EventKind::file_new: return format("File {} is opened.", e.a);
    case EventKind::file_flags: return format("The flags of file {} change.", e.a);
    case EventKind::file_get: return format("File {} has one reference more.", e.a);
    case EventKind::file_put: return format("File {} has one reference less.", e.a);
    case EventKind::fd_install: return format("Descriptor {} is file {}.", e.b, e.c);
    case EventKind::fd_remove: return format("Descriptor {} is closed.", e.b);
    case EventKind::user_line: return format("Is at line {} of its program.", e.a);
    case EventKind::lost: return format("{} events were lost here: the capture could not keep up.", e.x);
    case EventKind::note: return names[e.a];
    default: return "";
    }
}

std::string memory_event(const State& s, const StringTable& names, const Event& e) {
    const auto page = [&] { return page_label(s, names, e.a); };
    switch (e.kind) {
    case EventKind::vma_new: return format("The range {:#x} – {:#x} is mapped.", e.x, e.y);
    case EventKind::vma_prot: return format("The protection of {:#x} – {:#x} changes.", e.x, e.y);
    case EventKind::vma_del: return format("The range {:#x} – {:#x} is unmapped.", e.x, e.y);
    case EventKind::page_alloc:
        return e.b ? format("Page {} of order {} is allocated: {}.", e.a, e.b, page_owner_name(static_cast<PageOwner>(e.c)))
                   : format("Page {} is allocated: {}.", e.a, page_owner_name(static_cast<PageOwner>(e.c)));
    case EventKind::page_free: return format("Page {} goes back to the allocator.", e.a);
    case EventKind::page_ref: return format("The reference count of page {} changes by {:+}.", page(), static_cast<std::int32_t>(e.b));
    case EventKind::page_map: return format("The map count of page {} changes by {:+}.", page(), static_cast<std::int32_t>(e.b));
    case EventKind::page_flags: return format("The flags of page {} change.", page());
    case EventKind::pte_set:
        return e.y & PTE_P ? format("Entry {} of table {} points to page {}.", e.b, e.a, (e.y & pte_addr_mask) >> page_shift)
                           : format("Entry {} of table {} is cleared.", e.b, e.a);
    case EventKind::tlb_flush:
        return e.y ? format("Every CPU forgets its translations of {:#x} – {:#x}.", e.x, e.y)
                   : format("Every CPU forgets all its translations of address space {}.", e.a);
    case EventKind::tlb_fill: return format("CPU {} misses {:#x} in its TLB, walks the tables and keeps the entry.", e.a, e.x);
    case EventKind::tlb_hit: return format("CPU {} finds {:#x} in its TLB.", e.a, e.x);
    case EventKind::page_pin: return format("The pins on page {} change by {:+}.", page(), static_cast<std::int32_t>(e.b));
    case EventKind::store: return format("{} bytes are stored into page {} at offset {}.", e.c, page(), e.b);
    case EventKind::pattern: return format("Page {} holds the file's bytes from {} on.", page(), e.x);
    case EventKind::fill: return format("Page {} is filled with {}.", page(), e.b & 0xff);
    case EventKind::copy:
        return format(
            "{} bytes go from page {} at {} to {} at {}.", e.c & ~copy_tlb_hit, page(), e.x, e.b == no_page ? "nowhere" : "page " + page_label(s, names, e.b), e.y);
    case EventKind::page_seen:
        return format(
            "Page {} was seen: {}, {} references.", page(), page_owner_name(static_cast<PageOwner>(e.c & 0xff)), static_cast<std::int32_t>(e.b));
    case EventKind::page_user: return format("Page {} is page {} of {}'s buffer.", e.a, e.c, task_label(s, names, e.b));
    default: return "";
    }
}

std::string run_words(const Event& e) {
    switch (static_cast<RunState>(e.a)) {
    case RunState::user: return "Runs its own code.";
    case RunState::running: return "Runs in the kernel.";
    case RunState::lock_spin: return "Spins for the mutex.";
    case RunState::lock_sleep: return "Sleeps until it gets the mutex.";
    case RunState::sleep: {
        const char* const why = e.b == static_cast<std::uint32_t>(WaitFor::space) ? ": the ring is full" : e.b == static_cast<std::uint32_t>(WaitFor::data) ? ": the ring is empty" : "";
        return format("Sleeps{}{}.", why, e.c ? " (inferred from its switches and CPU time)" : "");
    }
    case RunState::runnable: return "Can run again.";
    case RunState::parked: return "Stands until somebody lets it run.";
    case RunState::exited: return "Has ended.";
    }
    return "";
}

std::string task_event(const State& s, const StringTable& names, const Event& e) {
    switch (e.kind) {
    case EventKind::sys_enter:
        return e.y ? format("Calls {} for {} bytes.", sys_name(static_cast<Sys>(e.a)), e.y) : format("Calls {}.", sys_name(static_cast<Sys>(e.a)));
    case EventKind::sys_exit: {
        const auto r = static_cast<std::int64_t>(e.x);
        return r < 0 && r > -4096 ? format("{} returns {}.", sys_name(static_cast<Sys>(e.a)), errno_name(static_cast<int>(-r)))
                                  : format("{} returns {}.", sys_name(static_cast<Sys>(e.a)), r);
    }
    case EventKind::fn_exit: return "Leaves the function.";
    case EventKind::stage: return narrate_stage(s, names, e);
    case EventKind::run_state: return run_words(e);
    case EventKind::signal: return format("Gets signal {}.", e.a);
    case EventKind::signals_taken: return "Its pending signals are delivered.";
    case EventKind::task_cpu: return format("Goes on on CPU {}.", e.a);
    default: return "";
    }
}

std::string pipe_event(const State& s, const StringTable& names, const Event& e) {
    switch (e.kind) {
    case EventKind::mutex_lock: return "Has the mutex.";
    case EventKind::mutex_unlock: return "No longer has the mutex.";
    case EventKind::mutex_wait: return e.a == 1 ? "Waits for the mutex, spinning." : "Waits for the mutex, asleep.";
    case EventKind::mutex_leave: return "No longer waits for the mutex.";
    case EventKind::wq_add:
        return e.c ? format("An epoll item queues on {}.", queue_name(e.a)) : format("Queues on {}{}.", queue_name(e.a), e.b ? ", exclusively" : "");
    case EventKind::wq_remove: return e.c ? format("An epoll item leaves {}.", queue_name(e.a)) : format("Leaves {}.", queue_name(e.a));
    case EventKind::wake: return format("Wakes {} on {}.", task_label(s, names, e.b), queue_name(e.a));
    case EventKind::buf_set:
    case EventKind::ring_slot: return slot_words(s, names, e);
    case EventKind::buf_move: return format("Slot {} holds {} bytes at offset {}.", e.a, e.c, e.b);
    case EventKind::buf_clear: return format("Slot {} is free: its ops become NULL, the rest stays as it was.", e.a);
    case EventKind::head_set: return format("head is {}.", e.a);
    case EventKind::tail_set: return format("tail is {}.", e.a);
    case EventKind::tmp_page:
        return e.b ? format("tmp_page[{}] keeps page {}.", e.a, page_label(s, names, e.b)) : format("tmp_page[{}] is empty.", e.a);
    case EventKind::ring_resize: return format("The ring has {} slots.", e.a);
    case EventKind::pipe_counts:
        return format("{} {}, {} {}, {} {}.", e.a, e.a == 1 ? "reader" : "readers", e.b, e.b == 1 ? "writer" : "writers", e.c,
            e.c == 1 ? "open file" : "open files");
    case EventKind::mutex_handoff: return "Was woken for the mutex and came too late: the next unlock goes to it.";
    case EventKind::waiting_writers: return format("{} {} asleep for space.", e.a, e.a == 1 ? "writer is" : "writers are");
    case EventKind::poll_usage: return "Somebody polls: from now on every write wakes readers.";
    case EventKind::pipe_free: return "The pipe is gone.";
    case EventKind::ring_begin:
        return format("The kernel's ring: head {}, tail {}, {} slots{}.", e.a, e.b, e.c, e.y & ring_torn ? "; it changed while it was read" : "");
    case EventKind::ring_end:
        return format("{} reader{}, {} writer{}{}.", e.a, e.a == 1 ? "" : "s", e.b, e.b == 1 ? "" : "s",
            e.c < s.tasks.size() ? ", " + task_label(s, names, e.c) + " has the mutex" : "");
    case EventKind::ring_source:
        return e.a == 0   ? "The ring is computed from here on."
               : e.a == 1 ? "The ring is read from the kernel from here on."
                          : "The ring is inferred from results from here on.";
    case EventKind::observed:
        return e.a != no_id ? format("A process saw {} bytes in the pipe.", e.a) : format("A process saw a pipe of {} bytes.", e.b);
    default: return "";
    }
}

} // namespace

std::string task_label(const State& s, const StringTable& names, TaskId task) {
    if (task >= s.tasks.size()) return task == no_id ? "nobody" : format("task {}", task);
    const std::string& name = names[s.tasks[task].name];
    return name.empty() ? format("task {}", task) : name;
}

std::string pipe_label(const State& s, const StringTable& names, PipeId pipe) {
    if (pipe < s.pipes.size() && !names[s.pipes[pipe].name].empty()) return names[s.pipes[pipe].name];
    return format("pipe {}", pipe + 1);
}

std::string user_place(const State& s, const StringTable& names, TaskId task, std::uint64_t addr) {
    const MmId mm = task < s.tasks.size() ? s.tasks[task].mm : no_id;
    for (const Buffer& b : s.buffers) {
        if (b.mm != mm || addr < b.addr || addr - b.addr >= b.len) continue;
        if (b.scratch) return "the program's own memory";
        const std::uint64_t at = addr - (b.addr & ~std::uint64_t{page_size - 1});
        return at % page_size ? format("page {} of {}, offset {}", at / page_size, names[b.name], at % page_size)
                              : format("page {} of {}", at / page_size, names[b.name]);
    }
    return addr ? format("{:#x}", addr) : "user memory";
}

bool pipe_is_fifo(const State& s, PipeId pipe) {
    return pipe != no_id && std::any_of(s.fifos.begin(), s.fifos.end(), [&](const Fifo& f) { return f.pipe == pipe; });
}

const char* fn_label(Fn f, bool fifo, bool anon_prefix) {
    if (f == Fn::pipe_write) return !anon_prefix ? "pipe_write" : fifo ? "fifo_pipe_write" : "anon_pipe_write";
    if (f == Fn::pipe_read) return !anon_prefix ? "pipe_read" : fifo ? "fifo_pipe_read" : "anon_pipe_read";
    return fn_name(f);
}

std::string narrate(const State& s, const StringTable& names, const Event& e, bool anon_prefix) {
    if (e.kind == EventKind::fn_enter)
        return format("Enters {}().", fn_label(static_cast<Fn>(e.a), e.task < s.tasks.size() && pipe_is_fifo(s, s.tasks[e.task].pipe), anon_prefix));
    for (const auto part : {narrate_mbuf, world_event, memory_event, task_event, pipe_event, narrate_socket})
        if (std::string text = part(s, names, e); !text.empty()) return text;
    std::string words = event_name(e.kind); // a kind that nobody has put into words yet
    std::replace(words.begin(), words.end(), '_', ' ');
    return words + ".";
}

} // namespace pipescope
