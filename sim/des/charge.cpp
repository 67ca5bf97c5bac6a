// SPDX-License-Identifier: MIT
// What each stage and event takes, and to which function of the call path it is booked.
#include "sim/des/engine.hpp"

namespace pipescope {

void Engine::charge_at(Runner& r, Ledger::NodeId at, Cost c, Sym leaf, double times) {
    charge_ns(r, at, profile_[c] * times, leaf);
}

void Engine::charge_ns(Runner& r, Ledger::NodeId at, double ns, Sym leaf) {
    const Ps t = ps(ns * r.factor);
    r.spent += t;
    ledger_.add(leaf == Sym::self || ledger_.nodes()[at].sym == leaf ? at : ledger_.child(at, leaf), t);
}

void Engine::enter_fn(Fn f) {
    Runner& r = *cur_;
    const auto [outer, inner] = sym_of(f);
    const std::uint32_t before = r.depth;
    Ledger::NodeId at = node(r);
    for (const Sym s : {outer, inner}) {
        if (s == Sym::self) continue;
        at = ledger_.child(at, s);
        r.path[r.depth++] = at;
    }
    if (r.depth == before) r.path[r.depth++] = at; // inlined: its time is its caller's
    r.levels[r.depth - 1] = static_cast<std::uint8_t>(r.depth - before);
    switch (f) {
    case Fn::sys_vmsplice: charge(r, Cost::import_iovec, Sym::import_iovec); break;
    case Fn::vmsplice_to_pipe: charge(r, Cost::vmsplice_front); break;
    case Fn::splice_from_pipe: charge(r, Cost::splice_front); break;
    case Fn::pipe_write: charge(r, Cost::write_front); break;
    case Fn::pipe_read: charge(r, Cost::read_front); break;
    case Fn::unix_stream_read: charge_net(r, node(r), Net::recv_front, Sym::tcp_recv); break;
    case Fn::unix_stream_sendmsg: charge_net(r, node(r), Net::send_front, Sym::tcp_send); break;
    default: break;
    }
}

void Engine::leave_fn() {
    Runner& r = *cur_;
    if (r.depth) r.depth -= r.levels[r.depth - 1];
}

// Before the event changes the state.
void Engine::before(const Event& e) {
    if (!cur_ || cur_->worker) return; // the world is being made; or a thread, which says itself what it spends
    switch (e.kind) {
    case EventKind::page_ref: on_page_ref(e); break;
    case EventKind::copy: on_copy(e); break;
    default: break;
    }
}

void Engine::after(const Event& e) {
    if (e.kind == EventKind::page_alloc) { // its first reference is the allocating CPU's
        const std::uint32_t cpu = e.task < kernel_.s.tasks.size() ? kernel_.s.tasks[e.task].cpu : 0;
        cpu_of(counted_, e.a) = static_cast<std::uint8_t>(cpu + 1);
    }
    if (!cur_) return;
    Runner& r = *cur_;
    Counts& n = ledger_.counts;
    if (r.worker && e.kind != EventKind::sock_wake && e.kind != EventKind::skb_queue) return; // what it takes is told by spend()
    if (outside_) outside_->seen(e, static_cast<double>(r.when + r.spent) / 1000);
    switch (e.kind) {
    case EventKind::stage: on_stage(e); break;
    case EventKind::fn_enter: enter_fn(static_cast<Fn>(e.a)); break;
    case EventKind::fn_exit: leave_fn(); break;
    case EventKind::sys_enter: on_enter(e); break;
    case EventKind::sys_exit: on_exit(e); break;
    case EventKind::page_alloc:
        ++n.pages_allocated;
        charge(r, Cost::page_alloc_front, Sym::alloc_pages);
        charge(r, Cost::page_alloc, Sym::alloc_pages_inner);
        break;
    case EventKind::page_free:
        ++n.pages_freed;
        charge(r, Cost::page_free, Sym::free_page);
        break;
    case EventKind::mutex_lock: {
        ++n.locks;
        on_lock(e);
        if (e.task != cur_task_) { // handed to a waiter that will run in a while
            ++n.handoffs;
            break;
        }
        if (e.pipe >= holder_.size()) holder_.resize(e.pipe + std::size_t{1}, no_id);
        TaskId& last = holder_[e.pipe];
        if (r.spun) charge(r, Cost::mutex_handover, Sym::mutex_lock);
        else charge(r, Cost::mutex_lock, Sym::mutex_lock);
        if (!r.spun && last != no_id && runners_[last].cpu != r.cpu) charge(r, Cost::mutex_lock_remote, Sym::mutex_lock);
        r.spun = false;
        last = cur_task_;
        break;
    }
    case EventKind::mutex_unlock:
        on_lock(e);
        charge(r, Cost::mutex_unlock, Sym::mutex_unlock);
        for (const TaskId t : kernel_.s.pipes[e.pipe].mutex.waiters) // who spins sees it, whoever is first in the list
            if (t < runners_.size() && runners_[t].phase == Phase::spinning) {
                woken(t);
                break;
            }
        break;
    case EventKind::mutex_wait:
        ++n.lock_waits;
        on_lock(e);
        break;
    case EventKind::mutex_leave: on_lock(e); break;
    case EventKind::skb_queue: wake_pollers(e.a); break;
    case EventKind::wake:
    case EventKind::sock_wake:
        ++n.wake_ups;
        if (e.b < runners_.size()) woken(e.b);
        break;
    case EventKind::run_state:
        if (e.task == cur_task_) r.pipe = e.pipe, r.wait_for = static_cast<WaitFor>(e.b);
        else if (e.task < runners_.size() && e.a == static_cast<std::uint32_t>(RunState::runnable)) woken(e.task);
        break;
    default: break;
    }
}

void Engine::on_enter(const Event& e) {
    Runner& r = *cur_;
    ++ledger_.counts.syscalls;
    const Ledger::NodeId call = ledger_.child(r.root, sym_of(static_cast<Sys>(e.a)));
    r.base = ledger_.child(call, Sym::do_syscall);
    r.depth = 0;
    charge_at(r, call, Cost::syscall_entry, Sym::entry);
    charge_at(r, r.base, Cost::syscall_dispatch, Sym::self);
    if (random_.uniform() < profile_[Cost::delay_share]) {
        const Ps t = ps(profile_[Cost::delay_mean] * (1 + profile_[Cost::delay_spread] * (2 * random_.uniform() - 1)));
        r.spent += t;
        ledger_.add(ledger_.child(r.root, Sym::interrupts), t);
    }
}

void Engine::on_exit(const Event& e) {
    Runner& r = *cur_;
    const auto result = static_cast<std::int64_t>(e.x);
    const auto nr = static_cast<Sys>(e.a);
    charge(r, Cost::syscall_exit, Sym::exit_work);
    charge_at(r, ledger_.nodes()[r.base].parent, Cost::syscall_return, Sym::sysret);
    charge_at(r, r.root, Cost::user_loop, Sym::user);
    if (result > 0 && (nr == Sys::read || nr == Sys::readv || nr == Sys::splice)) ledger_.counts.bytes_moved += static_cast<std::uint64_t>(result);
    if (nr == Sys::poll) charge_net(r, r.root, Net::user_turn, Sym::user);
    if (nr == Sys::read && result > 0) charge_net(r, r.root, Net::user_data, Sym::user, static_cast<double>(result) / page_size);
    if (result == -EAGAIN) {
        ++ledger_.counts.eagains;
        charge_at(r, r.root, Cost::eagain_return, Sym::user);
    }
}

void Engine::on_page_ref(const Event& e) {
    Runner& r = *cur_;
    const PageId head = kernel_.s.pages[e.a].compound_head;
    std::uint8_t& last = cpu_of(counted_, head);
    const bool remote = last != 0 && last != r.cpu + 1;
    last = static_cast<std::uint8_t>(r.cpu + 1);
    Counts& n = ledger_.counts;
    n.refs_remote += remote;
    ++n.ref_updates;
    if (static_cast<std::int32_t>(e.b) > 0) {
        n.refs_taken += e.b;
        charge(r, remote ? Cost::ref_get_remote : Cost::ref_get, Sym::try_grab);
    } else {
        n.refs_dropped += 0u - e.b;
        charge_at(r, r.drops ? caller(r) : node(r), remote ? Cost::ref_put_remote : Cost::ref_put, Sym::put_page);
    }
}

// From a to b. Memory of a program is cached where the program runs; a page of the pipe was last in the other one's hands.
void Engine::on_copy(const Event& e) {
    Runner& r = *cur_;
    const std::uint32_t bytes = e.c & ~copy_tlb_hit;
    ledger_.counts.bytes_copied += bytes;
    const double pages = static_cast<double>(bytes) / page_size;
    const bool from_user = kernel_.s.pages[e.a].owner == PageOwner::user && kernel_.s.pages[e.b].owner != PageOwner::user;
    std::uint8_t& changed_by = cpu_of(written_, e.a);
    const bool remote = changed_by != 0 && changed_by != r.cpu + 1;
    if (remote) changed_by = 0; // both have it now, unchanged
    const Sym leaf = from_user ? Sym::copy_page_from_iter : Sym::copy_page_to_iter;
    charge(r, from_user ? Cost::copy_from_user : Cost::copy_to_user, leaf, pages);
    if (remote) charge(r, Cost::copy_remote, leaf, pages);
    if (kernel_.s.pages[e.a].owner == PageOwner::socket || kernel_.s.pages[e.b].owner == PageOwner::socket)
        charge_net(r, node(r), Net::copy_cold, leaf, pages);
    cpu_of(written_, e.b) = static_cast<std::uint8_t>(r.cpu + 1);
}

void Engine::on_stage(const Event& e) {
    Runner& r = *cur_;
    r.drops = e.stage == Stage::v_drop;
    switch (e.stage) {
    case Stage::w_insert: charge(r, Cost::write_spin_lock, Sym::spin_lock); break;
    case Stage::w_copy:
    case Stage::w_merge_copy: charge(r, Cost::write_page); break;
    case Stage::r_copy: charge(r, Cost::read_page); break;
    case Stage::w_wake:
    case Stage::r_wake:
    case Stage::w_wake_next:
    case Stage::r_wake_next:
        first_wake_ = false;
        if (e.y) charge(r, Cost::wake_queue, Sym::wake);
        break;
    case Stage::v_wake:
    case Stage::s_wake:
    case Stage::f_wake:
    case Stage::o_wake:
    case Stage::t_wake:
    case Stage::l_wake:
    case Stage::x_wake:
        first_wake_ = true;
        if (e.y) charge(r, Cost::wake_check);
        break;
    case Stage::v_pages: charge(r, Cost::iov_iter_get_pages, Sym::iov_iter_get_pages); break;
    case Stage::v_add:
        charge(r, Cost::add_to_pipe);
        charge_at(r, caller(r), Cost::vmsplice_slot, Sym::self);
        charge_at(r, caller(r), Cost::iov_iter_advance, Sym::iov_iter_advance);
        break;
    case Stage::g_walk:
        ++ledger_.counts.walks;
        charge(r, Cost::gup_front);
        break;
    case Stage::g_pte: charge(r, Cost::gup_walk); break;
    case Stage::g_huge:
        charge(r, Cost::gup_walk);
        charge(r, Cost::gup_subpage, Sym::self, e.c);
        break;
    case Stage::g_slow:
        ++ledger_.counts.slow_pages;
        charge(r, Cost::gup_slow);
        break;
    case Stage::g_fault: charge(r, Cost::page_fault); break;
    case Stage::s_actor: charge(r, Cost::splice_slot); break;
    case Stage::q_add: charge_net(r, node(r), Net::recv_fragment, Sym::self); break;
    case Stage::k_pages: charge_net(r, node(r), Net::send_fragment, Sym::self, static_cast<double>(e.x)); break;
    case Stage::k_queue: charge_net(r, node(r), Net::tx_buffer, Sym::tcp_xmit); break;
    default: break;
    }
    flush(r);
    kernel_.now_ns = static_cast<std::uint64_t>(r.when / 1000);
    kernel_.stop_at_stages = r.when >= horizon_ || (options_.preempt && outlived_slice(r)); // somebody else comes first
}

} // namespace pipescope
