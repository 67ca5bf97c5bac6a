// SPDX-License-Identifier: MIT
// Reads the operands of stages for the views.
#include "app/focus.hpp"
#include <algorithm>

namespace pipescope {
namespace {

bool has_page(Stage s) {
    switch (s) {
    case Stage::w_merge_copy:
    case Stage::w_page:
    case Stage::w_copy:
    case Stage::w_insert:
    case Stage::r_copy:
    case Stage::r_consume:
    case Stage::r_release:
    case Stage::v_add:
    case Stage::s_actor:
    case Stage::s_release:
    case Stage::g_pte:
    case Stage::g_huge:
    case Stage::g_record:
    case Stage::t_move:
    case Stage::t_split:
    case Stage::l_link:
    case Stage::f_add:
    case Stage::q_add:
    case Stage::f_put: return true;
    default: return false;
    }
}

bool has_address(Stage s) {
    switch (s) {
    case Stage::w_merge_copy:
    case Stage::w_copy:
    case Stage::r_copy:
    case Stage::v_pages:
    case Stage::g_walk:
    case Stage::g_pte:
    case Stage::g_huge:
    case Stage::g_record:
    case Stage::g_stop:
    case Stage::g_slow:
    case Stage::g_fault: return true;
    default: return false;
    }
}

// Stages of mbufs: a is the mbuf, b the cluster where there is one.
void focus_mbuf(const State& s, Focus& f) {
    const Event& e = f.stage;
    switch (e.stage) {
    case Stage::b_copy:
        f.user_addr = e.x, f.copies = true;
        [[fallthrough]];
    case Stage::b_ext:
        if (e.b < s.mbufs.clusters.size()) f.page = s.mbufs.clusters[e.b].page;
        [[fallthrough]];
    case Stage::b_header:
    case Stage::b_queue:
    case Stage::b_look:
    case Stage::b_fetch:
    case Stage::b_free: f.mbuf = e.a < s.mbufs.mbufs.size() && s.mbufs.mbufs[e.a].used ? e.a : no_id; break;
    default: break;
    }
}

} // namespace

std::uint32_t stage_slot(const Event& e, const Pipe* p) {
    switch (e.stage) {
    case Stage::w_merge:
    case Stage::w_merge_copy:
    case Stage::w_copy:
    case Stage::w_insert:
    case Stage::r_copy:
    case Stage::r_consume:
    case Stage::r_release:
    case Stage::v_add:
    case Stage::s_actor:
    case Stage::s_release:
    case Stage::t_move:
    case Stage::t_split:
    case Stage::l_link:
    case Stage::f_add:
    case Stage::q_add:
    case Stage::f_put: return e.a;
    case Stage::w_page: return p && p->ring_size ? p->slot(p->head) : no_id;
    case Stage::r_tail:
    case Stage::s_tail: return p && p->ring_size ? p->slot(static_cast<std::uint32_t>(e.x) - 1) : no_id;
    default: return no_id;
    }
}

Focus focus_at(const State& s, const Timeline& t, std::size_t n) {
    Focus f;
    f.task = s.last_task;
    if (n && n <= t.size()) { // who did the last event; wake-ups and signals name the one who caused them
        const Event& last = t[n - 1];
        if (last.task < s.tasks.size()) f.task = last.task;
        f.pipe = last.pipe;
    }
    if (f.task >= s.tasks.size()) return f;
    const Task& task = s.tasks[f.task];
    f.stage = task.at;
    if (f.pipe == no_id) f.pipe = f.stage.stage != Stage::none && f.stage.pipe != no_id ? f.stage.pipe : task.pipe;
    if (f.stage.stage == Stage::none) return f;
    const Pipe* pipe = f.stage.pipe < s.pipes.size() ? &s.pipes[f.stage.pipe] : nullptr;
    f.slot = stage_slot(f.stage, pipe);
    if (pipe && f.slot >= pipe->bufs.size()) f.slot = no_id;
    if (has_page(f.stage.stage)) f.page = f.stage.b;
    if (has_address(f.stage.stage)) f.user_addr = f.stage.x;
    f.copies = f.stage.stage == Stage::w_copy || f.stage.stage == Stage::w_merge_copy || f.stage.stage == Stage::r_copy;
    f.to_user = f.stage.stage == Stage::r_copy;
    f.bytes = f.stage.c;
    f.offset = static_cast<std::uint32_t>(f.stage.y);
    focus_mbuf(s, f);
    return f;
}

bool stage_fills_slot(Stage s) {
    switch (s) {
    case Stage::w_copy:
    case Stage::w_insert:
    case Stage::v_add:
    case Stage::t_move:
    case Stage::t_split:
    case Stage::l_link:
    case Stage::f_add:
    case Stage::q_add:
    case Stage::f_put: return true;
    default: return false;
    }
}

StageSet stages_done(const Timeline& t, std::size_t n, TaskId task) {
    StageSet done;
    constexpr std::size_t farthest = 4096; // events looked back: a longer call shows what it did of late
    for (std::size_t i = std::min(n, t.size()), looks = 0; i-- > 0 && looks < farthest; ++looks) {
        const Event& e = t[i];
        if (e.task != task) continue;
        if (e.kind == EventKind::sys_enter) break;
        if (e.kind == EventKind::stage && e.stage < Stage::count) done.set(static_cast<std::size_t>(e.stage));
    }
    return done;
}

std::vector<Stage> stages_of(Fn fn) {
    std::vector<Stage> out;
    for (std::uint16_t i = 1; i < static_cast<std::uint16_t>(Stage::count); ++i)
        if (stage_info(static_cast<Stage>(i)).fn == fn) out.push_back(static_cast<Stage>(i));
    return out;
}

} // namespace pipescope
