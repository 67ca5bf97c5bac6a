// SPDX-License-Identifier: MIT
// The costs of single stages, put together from the profile's numbers once.
#include "sim/costs.hpp"
#include "sim/des/profile.hpp"
#include <cmath>
#include <initializer_list>

namespace pipescope {
namespace {

struct Table {
    static constexpr auto stages = static_cast<std::size_t>(Stage::count);
    std::array<std::uint32_t, stages> no{}, yes{}; // ns where y is 0, and where it is not
    std::array<double, stages> each{};             // and for each of c: bytes, pages
    StepCosts step{};

    Table() {
        using enum Stage;
        const Profile& p = profile_builtin();
        const auto sum = [&](std::initializer_list<Cost> costs) {
            double ns = 0;
            for (const Cost c : costs) ns += p[c];
            return static_cast<std::uint32_t>(std::lround(ns));
        };
        const auto set = [&](std::initializer_list<Stage> list, std::initializer_list<Cost> costs) {
            for (const Stage s : list) no[at(s)] = yes[at(s)] = sum(costs);
        };
        no.fill(look), yes.fill(look);
        set({sys_fdget}, {Cost::syscall_entry, Cost::syscall_dispatch});
        set({w_lock, r_lock, v_lock, s_lock, f_lock, o_lock, x_lock, t_lock, l_lock, n_lock, c_lock, z_lock, i_lock}, {Cost::mutex_lock});
        set({w_unlock, r_unlock, v_unlock, s_unlock, f_unlock, o_unlock, x_unlock, n_unlock, c_unlock, z_unlock, i_unlock}, {Cost::mutex_unlock});
        set({w_page, f_put}, {Cost::page_alloc_front, Cost::page_alloc});
        yes[at(w_page)] = look; // the spare page
        set({w_copy, w_merge_copy}, {Cost::write_page});
        set({r_copy}, {Cost::read_page});
        set({w_insert}, {Cost::write_spin_lock});
        set({r_release, s_release}, {Cost::page_free});
        yes[at(r_release)] = yes[at(s_release)] = look; // kept as spare
        const auto wakes = {w_wake, r_wake, w_wake_next, r_wake_next, v_wake, s_wake, f_wake, o_wake, t_wake, l_wake, x_wake, c_wake, z_wake};
        set(wakes, {Cost::wake_queue, Cost::wake_idle});
        for (const Stage s : wakes) no[at(s)] = look;
        set({w_sleep, r_sleep, v_sleep, s_sleep, x_sleep, k_sleep, q_sleep, m_sleep},
            {Cost::prepare_to_wait, Cost::schedule_commit, Cost::schedule_out});
        set({g_walk}, {Cost::gup_front});
        set({g_pte, g_huge}, {Cost::gup_walk, Cost::ref_get});
        set({g_slow}, {Cost::gup_slow});
        set({g_fault}, {Cost::page_fault});
        set({v_pages}, {Cost::iov_iter_get_pages});
        set({v_add, f_add, q_add, t_move, l_link}, {Cost::add_to_pipe, Cost::vmsplice_slot, Cost::iov_iter_advance});
        set({v_drop, g_record}, {});
        set({s_actor}, {Cost::splice_slot});
        for (const Stage s : {w_copy, w_merge_copy, k_copy, o_write}) each[at(s)] = p[Cost::copy_from_user] / page_size;
        for (const Stage s : {r_copy, q_copy}) each[at(s)] = (p[Cost::copy_to_user] + p[Cost::copy_remote]) / page_size;
        each[at(v_drop)] = p[Cost::ref_put];
        each[at(g_record)] = p[Cost::gup_subpage];
        step.user_code_ns = sum({Cost::syscall_exit, Cost::syscall_return, Cost::user_loop});
        step.spin_handover_ns = sum({Cost::mutex_grab, Cost::mutex_handover});
        step.wake_latency_ns = sum({Cost::latency_short, Cost::schedule_in, Cost::finish_wait});
    }
    static std::size_t at(Stage s) { return static_cast<std::size_t>(s); }
    static constexpr std::uint32_t look = 4; // ns: a look, or something that the profile has in its neighbours' numbers
};

const Table& table() {
    static const Table t;
    return t;
}

} // namespace

std::uint64_t stage_cost(const Event& e) {
    const Table& t = table();
    const std::size_t s = Table::at(e.stage);
    return (e.y ? t.yes : t.no)[s] + static_cast<std::uint64_t>(t.each[s] * e.c + 0.5);
}

const StepCosts& step_costs() { return table().step; }

} // namespace pipescope
