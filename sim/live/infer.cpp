// SPDX-License-Identifier: MIT
// Infers a ring from the results of calls, by the rules of pipe_write, vmsplice and pipe_read.
#include "sim/live/infer.hpp"
#include <algorithm>
#include <utility>

namespace pipescope {
namespace {

bool takes(const InferredCall& c) {
    return c.call.sys == Sys::read || c.call.sys == Sys::readv || (c.call.sys == Sys::splice && !c.into);
}
bool gives(const InferredCall& c) {
    return c.call.sys == Sys::write || c.call.sys == Sys::writev || c.call.sys == Sys::vmsplice || c.call.sys == Sys::sendfile ||
           ((c.call.sys == Sys::splice || c.call.sys == Sys::tee) && c.into);
}

} // namespace

SleepSpan sleep_span(const InferredCall& c) {
    const std::uint64_t whole = c.call.exit_ns - c.call.enter_ns, asleep = std::min(c.call.asleep_ns, whole);
    const std::uint64_t from = c.call.enter_ns + (takes(c) || c.call.sys == Sys::poll ? 0 : (whole - asleep) / 2);
    return {from, from + asleep};
}

void RingInference::sleep(const InferredCall& c, std::uint64_t t_ns, bool begins) {
    now_ = t_ns;
    Event& e = emit(EventKind::run_state, c.task);
    e.a = static_cast<std::uint32_t>(begins ? RunState::sleep : RunState::running);
    if (begins) e.b = static_cast<std::uint32_t>(takes(c) ? WaitFor::data : WaitFor::space);
    e.c = 1;
}

RingInference::RingInference(PipeId pipe, std::uint32_t slots, std::vector<std::uint64_t> buffers, StringId again_note, std::vector<Event>& out,
    PageId* next_page)
    : pipe_(pipe), buffers_(std::move(buffers)), again_note_(again_note), out_(out), bufs_(slots), next_page_(next_page ? next_page : &own_next_page_) {}

Event& RingInference::emit(EventKind kind, TaskId task) {
    Event e;
    e.t_ns = now_, e.kind = kind, e.task = task, e.pipe = pipe_;
    out_.push_back(e);
    return out_.back();
}

void RingInference::enter(const InferredCall& c, std::uint64_t t_ns) {
    now_ = t_ns;
    Event& e = emit(EventKind::sys_enter, c.task);
    e.a = static_cast<std::uint32_t>(c.call.sys);
    e.b = c.fd, e.c = c.call.flags, e.x = c.call.addr, e.y = c.call.len;
    begin(c);
}

void RingInference::begin(const InferredCall& c) {
    if (c.call.result <= 0) return;
    Open open;
    open.task = c.task, open.sys = c.call.sys, open.addr = c.call.addr;
    open.left = static_cast<std::uint64_t>(c.call.result);
    if (c.call.sys == Sys::write || c.call.sys == Sys::writev) open.tail = c.call.len % page_size;
    if (gives(c)) writers_.push_back(open);
    if (takes(c)) readers_.push_back(open);
}

void RingInference::end(const InferredCall& c, std::uint64_t t_ns, bool at_once) {
    now_ = t_ns;
    if (gives(c)) settle(writers_, c.task);
    if (takes(c)) settle(readers_, c.task);
    if (at_once) observe(c, t_ns);
}

void RingInference::exit(const InferredCall& c, std::uint64_t t_ns, bool at_once) {
    end(c, t_ns, at_once);
    Event& e = emit(EventKind::sys_exit, c.task);
    e.a = static_cast<std::uint32_t>(c.call.sys);
    e.x = static_cast<std::uint64_t>(c.call.result);
    if (!c.call.again) return;
    Event& note = emit(EventKind::note, c.task);
    note.a = again_note_, note.x = c.call.again;
}

// The call of `task` has returned: all of it must have moved. What entered before it moves first, pipes being in order.
// Room, or bytes, that the ring lacks for it are taken from calls of the other side that are still inside.
void RingInference::settle(std::deque<Open>& side, TaskId task) {
    const bool writing = &side == &writers_;
    std::size_t upto = 0;
    for (std::size_t i = 0; i < side.size(); ++i)
        if (side[i].task == task && side[i].inside) {
            side[i].inside = false;
            upto = i + 1;
        }
    for (std::size_t i = 0; i < upto; ++i)
        while (side[i].left) {
            if (writing ? push(side[i], side[i].left) : pop(side[i], side[i].left)) continue;
            // Of the other side's bytes no more than needed: a slot's room, or what this call still wants.
            if (writing ? pop_open(bufs_[tail_ & (bufs_.size() - 1)].len) : push_open(side[i].left)) continue;
            break; // our slots fell differently from the kernel's: the rest moves when it can
        }
    std::erase_if(side, [](const Open& o) { return o.left == 0 && !o.inside; });
}

std::uint64_t RingInference::push_open(std::uint64_t n) {
    std::uint64_t moved = 0;
    for (Open& w : writers_)
        while (w.left && moved < n) {
            const std::uint64_t before = bytes_;
            if (!push(w, w.left)) return moved;
            moved += bytes_ - before;
        }
    return moved;
}

std::uint64_t RingInference::pop_open(std::uint64_t n) {
    std::uint64_t moved = 0;
    for (Open& r : readers_)
        while (r.left && moved < n) {
            const std::uint64_t before = bytes_;
            if (!pop(r, std::min(r.left, n - moved))) return moved;
            moved += before - bytes_;
        }
    return moved;
}

void RingInference::observe(const InferredCall& c, std::uint64_t t_ns) {
    now_ = t_ns;
    if (c.call.queued == no_id && c.call.size == no_id) return;
    if (c.call.queued != no_id) {
        if (bytes_ < c.call.queued) push_open(c.call.queued - bytes_);
        else if (bytes_ > c.call.queued) pop_open(bytes_ - c.call.queued);
    }
    const std::uint32_t slots = c.call.size >> page_shift;
    if (c.call.size != no_id && slots && slots != bufs_.size() && !(slots & (slots - 1)) && slots >= occupancy()) {
        std::vector<PipeBuffer> bufs(slots);
        for (std::uint32_t i = 0; i < occupancy(); ++i) bufs[i] = bufs_[(tail_ + i) & (bufs_.size() - 1)];
        head_ = occupancy(), tail_ = 0;
        bufs_ = std::move(bufs);
        emit(EventKind::ring_resize, c.task).a = slots;
    }
    Event& e = emit(EventKind::observed, c.task);
    e.a = c.call.queued, e.b = c.call.size;
}

// pipe_write's first step: the part beyond whole pages goes behind the newest slot, if it fits there.
bool RingInference::merge(Open& w, std::uint64_t most) {
    const std::uint32_t c = std::exchange(w.tail, 0);
    if (!c || head_ == tail_ || c > most) return false;
    const std::uint32_t slot = (head_ - 1) & static_cast<std::uint32_t>(bufs_.size() - 1);
    PipeBuffer& b = bufs_[slot];
    if (!(b.flags & PIPE_BUF_FLAG_CAN_MERGE) || b.offset + b.len + c > page_size) return false;
    b.len += c;
    w.left -= c, w.addr += c, bytes_ += c;
    Event& e = emit(EventKind::buf_move, w.task);
    e.a = slot, e.b = b.offset, e.c = b.len;
    return true;
}

bool RingInference::push(Open& w, std::uint64_t most) {
    if (w.tail && merge(w, most)) return true;
    if (occupancy() >= bufs_.size()) return false;
    const std::uint32_t slot = head_ & static_cast<std::uint32_t>(bufs_.size() - 1);
    const bool user = w.sys == Sys::vmsplice;
    PipeBuffer& b = bufs_[slot];
    b.page = page_for(w, slot);
    b.offset = user ? static_cast<std::uint32_t>(w.addr % page_size) : 0;
    b.len = static_cast<std::uint32_t>(std::min<std::uint64_t>(most, page_size - b.offset));
    b.flags = user ? 0u : std::uint32_t{PIPE_BUF_FLAG_CAN_MERGE};
    b.ops = user ? BufOps::user_page : BufOps::anon;
    w.left -= b.len, w.addr += b.len, bytes_ += b.len;
    Event& e = emit(EventKind::buf_set, w.task);
    e.a = slot, e.b = b.page, e.c = b.flags, e.x = std::uint64_t{b.offset} << 32 | b.len, e.y = static_cast<std::uint64_t>(b.ops);
    emit(EventKind::head_set, w.task).a = ++head_;
    return true;
}

bool RingInference::pop(Open& r, std::uint64_t most) {
    if (head_ == tail_) return false;
    const std::uint32_t slot = tail_ & static_cast<std::uint32_t>(bufs_.size() - 1);
    PipeBuffer& b = bufs_[slot];
    const auto n = static_cast<std::uint32_t>(std::min<std::uint64_t>(most, b.len));
    b.offset += n, b.len -= n;
    r.left -= n, bytes_ -= n;
    Event& e = emit(EventKind::buf_move, r.task);
    e.a = slot, e.b = b.offset, e.c = b.len;
    if (b.len) return true;
    b.ops = BufOps::null;
    emit(EventKind::buf_clear, r.task).a = slot;
    emit(EventKind::tail_set, r.task).a = ++tail_;
    return true;
}

// Kernel pages have no identity that a result shows: one stands for each slot. User pages go by their place in the buffer.
PageId RingInference::page_for(const Open& w, std::uint32_t slot) {
    const bool user = w.sys == Sys::vmsplice;
    const std::uint64_t base = w.task < buffers_.size() ? buffers_[w.task] & ~std::uint64_t{page_size - 1} : 0;
    const std::uint64_t index = user ? (w.addr - base) >> page_shift : slot;
    PageId& id = pages_[{user ? w.task : no_id, index}];
    if (id != no_page) return id;
    id = (*next_page_)++;
    Event& e = emit(EventKind::page_seen, w.task);
    e.a = id, e.b = user ? 2 : 1; // the slot's reference, and of a user page the mapping's
    e.c = static_cast<std::uint32_t>(user ? PageOwner::user : PageOwner::kernel) | std::uint32_t{seen_inferred} << 16;
    if (user) {
        Event& u = emit(EventKind::page_user, w.task);
        u.a = id, u.b = w.task, u.c = static_cast<std::uint32_t>(index), u.x = w.addr & ~std::uint64_t{page_size - 1};
    }
    return id;
}

void infer_events(const std::vector<InferredCall>& calls, RingInference& ring, std::uint64_t start_ns, const std::function<void()>& flush) {
    enum What : std::uint8_t { enters, sleeps, wakes, returns, observes };
    struct Edge {
        std::uint64_t t_ns;
        std::uint32_t call;
        What what;
    };
    std::vector<Edge> edges;
    edges.reserve(calls.size() * 3);
    for (std::uint32_t i = 0; i < calls.size(); ++i) {
        edges.push_back({calls[i].call.enter_ns, i, enters});
        if (calls[i].call.sleeps) {
            const SleepSpan span = sleep_span(calls[i]);
            edges.push_back({span.from_ns, i, sleeps});
            edges.push_back({span.to_ns, i, wakes});
        }
        edges.push_back({calls[i].call.exit_ns, i, returns});
        if (calls[i].call.observed_ns) edges.push_back({calls[i].call.observed_ns, i, observes});
    }
    std::stable_sort(edges.begin(), edges.end(), [](const Edge& a, const Edge& b) { return a.t_ns < b.t_ns; });
    for (std::size_t i = 0; i < edges.size(); ++i) {
        const Edge& e = edges[i];
        const InferredCall& c = calls[e.call];
        const std::uint64_t t = e.t_ns > start_ns ? e.t_ns - start_ns : 0;
        if (e.what == enters) {
            ring.enter(c, t);
        } else if (e.what == sleeps || e.what == wakes) {
            ring.sleep(c, t, e.what == sleeps);
        } else if (e.what == observes) {
            ring.observe(c, t);
        } else {
            const bool at_once = i + 1 < edges.size() && edges[i + 1].call == e.call && edges[i + 1].what == observes;
            ring.exit(c, t, at_once);
            if (at_once) ++i;
        }
        flush();
    }
}

} // namespace pipescope
