// SPDX-License-Identifier: MIT
// Doing everything twice, and comparing.
#include "sim/lockstep/shadow.hpp"
#include "core/describe.hpp"
#include "sim/scenario/not_here.hpp"
#include "sim/scenario/sequencer.hpp"
#include <algorithm>
#include <fmt/format.h>

namespace pipescope::lockstep {
namespace {

// "head=2 tail=0" and then each slot.
std::vector<std::string> pieces(const std::string& ring) {
    std::vector<std::string> out;
    for (std::size_t at = 0;;) {
        const std::size_t bar = ring.find(" | ", at);
        out.push_back(ring.substr(at, bar == std::string::npos ? bar : bar - at));
        if (bar == std::string::npos) return out;
        at = bar + 3;
    }
}

} // namespace

std::string first_difference(const std::string& kernel, const std::string& model, std::uint32_t& slot) {
    const std::vector<std::string> k = pieces(kernel), m = pieces(model);
    slot = no_id;
    for (std::size_t i = 1; i < std::max(k.size(), m.size()); ++i) {
        const std::string none = "nothing", &a = i < k.size() ? k[i] : none, &b = i < m.size() ? m[i] : none;
        if (a == b) continue;
        slot = static_cast<std::uint32_t>(std::stoul(i < k.size() ? a : b));
        return fmt::format("slot {}: kernel {}, model {}", slot, a, b);
    }
    return k[0] == m[0] ? "" : fmt::format("kernel {}, model {}", k[0], m[0]);
}

void Shadow::lose(const std::string& why) {
    kernel_ = nullptr;
    seen.why = why;
}

template <class R> R Shadow::same(const char* what, R model, const std::function<R()>& kernel) {
    if (!kernel_) return model;
    try {
        if (kernel() != model) lose(std::string(what) + " came out differently on this kernel");
    } catch (const NotHere& e) {
        lose(e.why);
    }
    return model;
}

TaskId Shadow::task_new(const std::string& name, int cpu) {
    return same<TaskId>("a task", model_.task_new(name, cpu), [&] { return kernel_->task_new(name, cpu); });
}
std::array<int, 2> Shadow::pipe_new(TaskId t, const PipeOptions& o) {
    return same<std::array<int, 2>>("a pipe", model_.pipe_new(t, o), [&] { return kernel_->pipe_new(t, o); });
}
Memory Shadow::buffer_new(TaskId t, const BufferOptions& o) {
    const Memory m = model_.buffer_new(t, o);
    same<std::uint64_t>("the place of a buffer", m.addr, [&] { return kernel_->buffer_new(t, o).addr; });
    return m;
}
int Shadow::open_null(TaskId t) {
    return same<int>("/dev/null", model_.open_null(t), [&] { return kernel_->open_null(t); });
}
int Shadow::open_zero(TaskId t) {
    return same<int>("/dev/zero", model_.open_zero(t), [&] { return kernel_->open_zero(t); });
}
int Shadow::file_new(TaskId t, const FileOptions& o) {
    return same<int>("a file", model_.file_new(t, o), [&] { return kernel_->file_new(t, o); });
}
std::array<int, 2> Shadow::socketpair_new(TaskId t, const SocketOptions& o) {
    return same<std::array<int, 2>>("a pair of sockets", model_.socketpair_new(t, o), [&] { return kernel_->socketpair_new(t, o); });
}
std::uint32_t Shadow::fifo_new(TaskId t) {
    return same<std::uint32_t>("a FIFO", model_.fifo_new(t), [&] { return kernel_->fifo_new(t); });
}
TaskId Shadow::fork_task(TaskId parent, const std::string& name) {
    return same<TaskId>("fork()", model_.fork_task(parent, name), [&] { return kernel_->fork_task(parent, name); });
}
long Shadow::epoll_add(TaskId t, int fd, std::uint32_t events, bool edge) {
    return same<long>("epoll_ctl()", model_.epoll_add(t, fd, events, edge), [&] { return kernel_->epoll_add(t, fd, events, edge); });
}
long Shadow::pin_pages(TaskId t, std::uint64_t addr, std::uint64_t len, bool write) {
    return same<long>("pinning memory", model_.pin_pages(t, addr, len, write), [&] { return kernel_->pin_pages(t, addr, len, write); });
}
long Shadow::unpin_pages(TaskId t, std::uint64_t addr, std::uint64_t len) {
    return same<long>("pinning memory", model_.unpin_pages(t, addr, len), [&] { return kernel_->unpin_pages(t, addr, len); });
}
Memory Shadow::scratch(TaskId t, std::uint64_t len) {
    const Memory m = model_.scratch(t, len);
    same<std::uint64_t>("the place of a call's own buffer", m.addr, [&] { return kernel_->scratch(t, len).addr; });
    return m;
}
std::string Shadow::paging_levels(int levels) {
    const std::string refused = model_.paging_levels(levels);
    if (kernel_)
        if (const std::string why = kernel_->paging_levels(levels); why != refused) lose(why);
    return refused;
}
bool Shadow::store(TaskId t, std::uint64_t addr, std::span<const std::uint8_t> bytes) {
    return same<bool>("a store", model_.store(t, addr, bytes), [&] { return kernel_->store(t, addr, bytes); });
}

bool Shadow::load(TaskId t, std::uint64_t addr, std::span<std::uint8_t> bytes) {
    const bool done = model_.load(t, addr, bytes);
    if (!kernel_) return done;
    std::vector<std::uint8_t> real(bytes.size());
    const bool loaded = kernel_->load(t, addr, real);
    if (loaded != done || (done && !std::equal(real.begin(), real.end(), bytes.begin())))
        seen.divergences.push_back({last_event(), no_id, no_id, "memory: what the program loads is not the same on the kernel and on the model"});
    return done;
}

std::uint32_t Shadow::epoll_wait(TaskId t, std::uint32_t item) {
    const std::uint32_t m = model_.epoll_wait(t, item);
    if (!kernel_) return m;
    if (const std::uint32_t k = kernel_->epoll_wait(t, item); k != m)
        seen.divergences.push_back({last_event(), no_id, no_id, fmt::format("epoll_wait: kernel \"{}\", model \"{}\"", poll_string(k), poll_string(m))});
    return m;
}

std::uint32_t Shadow::take_signals(TaskId t) {
    const std::uint32_t m = model_.take_signals(t);
    if (kernel_)
        if (const std::uint32_t k = kernel_->take_signals(t); k != m)
            seen.divergences.push_back({last_event(), no_id, no_id, fmt::format("signals: kernel {:#x}, model {:#x}", k, m)});
    return m;
}

void Shadow::exit_task(TaskId t) {
    model_.exit_task(t);
    model_.settle();
    if (!kernel_) return;
    kernel_->exit_task(t);
    compare_rings();
}

void Shadow::kill(TaskId t, int sig) {
    model_.kill(t, sig);
    if (!kernel_) return;
    kernel_->kill(t, sig);
    compare_rings();
}

void Shadow::start(TaskId t, const Call& c) {
    calls_.resize(std::max<std::size_t>(calls_.size(), t + 1));
    calls_[t] = c;
    last_ = {t, c, std::nullopt};
    ++started_;
    model_.start(t, c);
    if (kernel_) kernel_->start(t, c);
}

void Shadow::settle() {
    model_.settle();
    if (!kernel_) return;
    kernel_->settle();
    compare_rings();
}

std::optional<long> Shadow::finished(TaskId t) {
    const std::optional<long> m = model_.finished(t);
    if (m && t == last_.task) last_.result = m;
    if (!kernel_) return m;
    const std::optional<long> k = kernel_->finished(t);
    if (m == k) {
        if (m) ++seen.calls;
        return m;
    }
    std::size_t event = last_event(); // the end of this task's call, if it has come to one
    for (std::size_t i = event + 1; m && i-- > 0;)
        if (const Event& e = model_.timeline()[i]; e.kind == EventKind::sys_exit && e.task == t) {
            event = i;
            break;
        }
    const auto words = [&](const std::optional<long>& r) { return r ? call_text(calls_[t], *r) : std::string(sys_name(calls_[t].nr)) + " sleeps"; };
    seen.divergences.push_back({event, no_id, no_id, fmt::format("kernel {}, model {}", words(k), words(m))});
    if (m && k) ++seen.calls;
    else lose("one of the two sleeps in a call that the other has come back from");
    return m;
}

void Shadow::compare_rings() {
    const State& s = model_.timeline().state();
    const auto& fds = s.fdtables[s.tasks[0].fds];
    std::vector<std::string> rings(s.pipes.size());
    bool changed = false; // what is to be said of the model's
    for (std::size_t fd = 0; fd < fds.size(); ++fd) {
        if (fds[fd] == no_id || s.files[fds[fd]].kind != FileKind::pipe) continue;
        const PipeId p = s.files[fds[fd]].pipe;
        if (p >= rings.size() || !rings[p].empty()) continue;
        const auto k = kernel_->ring(static_cast<int>(fd)), m = model_.ring(static_cast<int>(fd));
        if (!k || !m) continue;
        seen.rings = true;
        rings[p] = *k;
        std::uint32_t slot = no_id;
        const std::string text = first_difference(*k, *m, slot);
        if (text != known_[p] && !text.empty()) seen.divergences.push_back({last_event(), p, slot, fmt::format("pipe {}, {}", p + 1, text)});
        changed = changed || known_[p] != text;
        known_[p] = text;
    }
    if (rings == rings_ && !changed) return;
    rings_ = rings;
    seen.readings.push_back({last_event(), std::move(rings)});
}

} // namespace pipescope::lockstep
