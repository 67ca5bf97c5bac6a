// SPDX-License-Identifier: MIT
// Objects, calls and questions of a scenario on the model.
#include "sim/model_backend.hpp"
#include "core/describe.hpp"
#include "core/mm/walk.hpp"
#include "core/net/mbuf.hpp"
#include "sim/costs.hpp"
#include <bit>
#include <cassert>
#include <cstring>

namespace pipescope {

ModelBackend::ModelBackend(const KernelVersion& v) : kernel_(timeline_, v) {
    kernel_.cost = stage_cost;
    const MmId mm = kernel_.mm_new();
    const FdTableId fds = kernel_.fdtable_new();
    kernel_.task_new(strings_.intern("main"), mm, fds, 4710, 0);
    runners_.emplace_back();
}

ModelBackend::~ModelBackend() { kernel_.quiet = true; } // calls cut off in the middle leave their scopes

TaskId ModelBackend::task_new(const std::string& name, int cpu) {
    const Task& main = kernel_.s.tasks[0];
    const auto n = static_cast<std::uint32_t>(kernel_.s.tasks.size());
    const TaskId t = kernel_.task_new(strings_.intern(name), main.mm, main.fds, 4710 + n, cpu >= 0 ? static_cast<std::uint32_t>(cpu) : n - 1);
    runners_.emplace_back().t_ns = kernel_.now_ns;
    return t;
}

std::array<int, 2> ModelBackend::pipe_new(TaskId t, const PipeOptions& o) {
    int fds[2];
    const std::string name = "pipe " + std::to_string(kernel_.s.pipes.size() + 1);
    const std::uint32_t flags = (o.nonblock ? std::uint32_t{F_nonblock} : 0) | (o.packet ? std::uint32_t{F_direct} : 0);
    const PipeId p = kernel_.pipe_new(t, pipe_def_buffers, strings_.intern(name), flags, fds);
    const std::uint32_t slots = std::bit_ceil(std::max(1u, o.slots));
    if (p != no_id && slots != pipe_def_buffers) kernel_.emit(EventKind::ring_resize, t, p, slots); // F_SETPIPE_SZ on an empty ring
    return {fds[0], fds[1]};
}

Memory ModelBackend::buffer_new(TaskId t, const BufferOptions& o) {
    const std::uint64_t len = o.offset + o.size;
    if (o.size == 0 || len > (std::uint64_t{1} << 31)) return {};
    const std::uint32_t hugetlb = o.hugetlb == pud_order ? std::uint32_t{VMA_HUGETLB_1G} : o.hugetlb ? std::uint32_t{VMA_HUGETLB_2M} : 0;
    const std::uint32_t flags = VMA_READ | VMA_WRITE | hugetlb | (o.huge ? std::uint32_t{VMA_HUGEPAGE} : 0);
    const std::uint32_t order = o.huge ? pmd_order : o.hugetlb;
    const bool mapped = o.file >= 0 || o.shared;
    const std::uint32_t all = flags | (o.shared ? std::uint32_t{VMA_SHARED} : 0);
    const long at = mapped ? kernel_.mmap_file(t, o.file, len, all, static_cast<std::uint32_t>(o.from / page_size)) : 0;
    if (at < 0) return {0, 0, static_cast<int>(at)};
    const std::uint64_t base = mapped ? static_cast<std::uint64_t>(at) : kernel_.mmap(t, len, flags, std::uint64_t{page_size} << order, o.high);
    const std::string name = o.name.empty() ? "b" + std::to_string(++buffers_) : o.name;
    kernel_.buffer_new(strings_.intern(name), kernel_.s.tasks[t].mm, base, len, false);
    if (o.touched && o.file < 0)
        for (std::uint64_t a = base; a < base + len; a = pipescope::walk(kernel_.s, kernel_.s.tasks[t].mm, a).next(a))
            if (!pipescope::walk(kernel_.s, kernel_.s.tasks[t].mm, a).present) kernel_.fault(t, a, true);
    if (o.readonly) kernel_.mprotect(t, base, len, flags & ~std::uint32_t{VMA_WRITE});
    return {base + o.offset, o.size};
}

int ModelBackend::open_null(TaskId t) { return kernel_.file_open(t, FileKind::null, F_read | F_write, no_id); }

int ModelBackend::open_zero(TaskId t) { return kernel_.file_open(t, FileKind::zero, F_read | F_write, no_id); }

int ModelBackend::file_new(TaskId t, const FileOptions& o) {
    const std::string name = o.name.empty() ? "f" + std::to_string(++files_) : o.name;
    const InodeId inode = kernel_.inode_new(t, strings_.intern(name), o.size, o.cached);
    return kernel_.file_open(t, FileKind::regular, F_read | F_write, no_id, inode);
}

std::array<int, 2> ModelBackend::socketpair_new(TaskId t, const SocketOptions& o) {
    const std::string name = "sockets " + std::to_string(kernel_.s.sockets.size() / 2 + 1);
    const StringId names[2] = {strings_.intern(name + " a"), strings_.intern(name + " b")};
    int fds[2];
    kernel_.socketpair(t, o.dgram ? SockType::dgram : SockType::stream, names, o.nonblock ? std::uint32_t{F_nonblock} : 0, fds);
    return {fds[0], fds[1]};
}

// One address space, as RTEMS has: the pool's memory is everybody's.
long ModelBackend::mbuf_pool_new(TaskId t, std::uint32_t clusters) {
    if (pool_.len) return -EEXIST;
    BufferOptions o;
    o.name = "clusters", o.size = std::uint64_t{clusters} * mclbytes;
    pool_ = buffer_new(t, o);
    for (std::uint64_t at = 0; at < pool_.len; at += mclbytes)
        kernel_.emit(EventKind::mcl_new, t, no_id, kernel_.user_page(t, pool_.addr + at, true), static_cast<std::uint32_t>(at & (page_size - 1)));
    return pool_.len ? 0 : -ENOMEM;
}

Memory ModelBackend::clusters_take(TaskId t, std::uint32_t n) {
    const ClusterId first = bsd::take(kernel_, t, n);
    return first == no_id ? Memory{} : Memory{pool_.addr + std::uint64_t{first} * mclbytes, std::uint64_t{n} * mclbytes};
}

std::uint32_t ModelBackend::fifo_new(TaskId) { return kernel_.fifo_new(strings_.intern("fifo " + std::to_string(++fifos_))); }

TaskId ModelBackend::fork_task(TaskId parent, const std::string& name) {
    const auto n = static_cast<std::uint32_t>(kernel_.s.tasks.size());
    const TaskId t = kernel_.fork(parent, strings_.intern(name), 4710 + n, n - 1);
    runners_.emplace_back().t_ns = kernel_.now_ns;
    return t;
}

void ModelBackend::kill(TaskId to, int sig) {
    kernel_.kill(to, sig);
    settle();
}

long ModelBackend::epoll_add(TaskId t, int fd, std::uint32_t events, bool edge) { return kernel_.epoll_add(t, fd, events, edge); }
std::uint32_t ModelBackend::epoll_wait(TaskId t, std::uint32_t item) { return kernel_.epoll_wait(t, item); }

bool ModelBackend::store(TaskId t, std::uint64_t addr, std::span<const std::uint8_t> bytes) {
    while (!bytes.empty()) {
        const PageId page = kernel_.user_page(t, addr, true);
        if (page == no_page) return false;
        const auto at = static_cast<std::uint32_t>(addr & (page_size - 1));
        const auto n = static_cast<std::uint32_t>(std::min<std::size_t>({16, bytes.size(), page_size - at}));
        std::uint64_t words[2] = {0, 0};
        std::memcpy(words, bytes.data(), n);
        kernel_.emit(EventKind::store, t, no_id, page, at, n, words[0], words[1]);
        addr += n;
        bytes = bytes.subspan(n);
    }
    return true;
}

bool ModelBackend::load(TaskId t, std::uint64_t addr, std::span<std::uint8_t> bytes) {
    while (!bytes.empty()) {
        const PageId page = kernel_.user_page(t, addr, false);
        if (page == no_page) return false;
        const auto at = static_cast<std::uint32_t>(addr & (page_size - 1));
        const std::size_t n = std::min<std::size_t>(bytes.size(), page_size - at);
        const auto it = kernel_.s.bytes.find(page);
        if (it == kernel_.s.bytes.end()) std::memset(bytes.data(), 0, n);
        else std::memcpy(bytes.data(), it->second->data() + at, n);
        addr += n;
        bytes = bytes.subspan(n);
    }
    return true;
}

Memory ModelBackend::scratch(TaskId t, std::uint64_t len) {
    Memory& m = runners_[t].scratch;
    if (m.len < len) {
        m.len = std::max<std::uint64_t>(std::bit_ceil(len), page_size);
        m.addr = kernel_.mmap(t, m.len, VMA_READ | VMA_WRITE, page_size);
        kernel_.buffer_new(0, kernel_.s.tasks[t].mm, m.addr, m.len, true);
        for (std::uint64_t a = m.addr; a < m.addr + m.len; a += page_size) kernel_.fault(t, a, true);
    }
    return m;
}

bool ModelBackend::pin(TaskId t, std::uint64_t addr, std::uint32_t n) {
    const Walk w = pipescope::walk(kernel_.s, kernel_.s.tasks[t].mm, addr);
    if (w.present && n) {
        kernel_.pinned = true;
        kernel_.get_page(t, w.page, n);
    }
    return w.present;
}

std::uint32_t ModelBackend::take_signals(TaskId t) {
    const std::uint32_t got = kernel_.s.tasks[t].delivered;
    if (got) kernel_.emit(EventKind::signals_taken, t, no_id);
    return got;
}

const Pipe* ModelBackend::pipe_of(int fd) const {
    const File* f = kernel_.file(0, fd);
    return f && f->kind == FileKind::pipe ? &kernel_.s.pipes[f->pipe] : nullptr;
}

template <class F> std::optional<std::uint32_t> ModelBackend::ask(int fd, F f) const {
    const Pipe* p = pipe_of(fd);
    return p ? std::optional<std::uint32_t>(f(*p)) : std::nullopt;
}

std::optional<std::string> ModelBackend::ring(int fd) {
    const File* f = kernel_.file(0, fd);
    if (!f || f->kind != FileKind::pipe) return std::nullopt;
    return ring_string(kernel_.s, strings_, f->pipe);
}
std::optional<std::uint32_t> ModelBackend::ring_size(int fd) {
    return ask(fd, [](const Pipe& p) { return p.ring_size; });
}
std::optional<std::uint32_t> ModelBackend::max_usage(int fd) {
    return ask(fd, [](const Pipe& p) { return p.max_usage; });
}
std::optional<std::uint32_t> ModelBackend::tmp_pages(int fd) {
    return ask(fd, [](const Pipe& p) { return static_cast<std::uint32_t>((p.tmp_page[0] != no_page) + (p.tmp_page[1] != no_page)); });
}

std::optional<std::uint64_t> ModelBackend::wakeups() {
    std::uint64_t n = 0;
    for (const Task& t : kernel_.s.tasks) n += t.wakes;
    return n;
}

std::optional<PageInfo> ModelBackend::page(TaskId t, std::uint64_t addr) {
    const Walk w = pipescope::walk(kernel_.s, kernel_.s.tasks[t].mm, addr);
    PageInfo i;
    if (!w.present) return i;
    const Page& p = kernel_.s.pages[w.page];
    const Page& head = kernel_.s.pages[p.compound_head];
    i.present = true;
    i.huge = w.order != 0;
    i.zero = p.owner == PageOwner::zero;
    i.order = p.order;
    i.head = p.order > 0 && p.compound_head == w.page;
    i.tail = p.order > 0 && p.compound_head != w.page;
    i.refcount = head.refcount;
    i.mapcount = kernel_.page_mapcount(w.page);
    i.hugetlb = head.flags & PG_hugetlb;
    i.pincount = head.order ? head.pincount : head.refcount / gup_pin_counting_bias;
    return i;
}

std::optional<std::string> ModelBackend::walk(TaskId t, std::uint64_t addr) {
    return walk_string(pipescope::walk(kernel_.s, kernel_.s.tasks[t].mm, addr));
}

std::optional<std::string> ModelBackend::entry(TaskId t, std::uint64_t addr) {
    return entry_string(pipescope::walk(kernel_.s, kernel_.s.tasks[t].mm, addr).leaf().entry);
}

std::optional<TlbInfo> ModelBackend::tlb(TaskId t) {
    const std::uint32_t cpu = kernel_.s.tasks[t].cpu;
    if (cpu >= kernel_.s.tlbs.size()) return TlbInfo{};
    const Tlb& tlb = kernel_.s.tlbs[cpu];
    return TlbInfo{tlb.hits, tlb.misses, tlb.flushes, tlb.invlpgs};
}

std::string ModelBackend::paging_levels(int levels) {
    for (const Mm& mm : kernel_.s.mms)
        if (!mm.vmas.empty()) return "there is memory already: kernel{levels=…} comes first";
    kernel_.set_paging_levels(levels);
    return "";
}

} // namespace pipescope
