// SPDX-License-Identifier: MIT
// The built-in cost table.
#include "sim/costs.hpp"

namespace pipescope {
namespace {

std::uint64_t copy_ns(std::uint64_t bytes, std::uint64_t per_page) { return 6 + bytes * per_page / page_size; }

} // namespace

std::uint64_t stage_cost(const Event& e) {
    switch (e.stage) {
    case Stage::sys_fdget: return 48;
    case Stage::w_lock: case Stage::r_lock: case Stage::v_lock: case Stage::s_lock: case Stage::c_lock: case Stage::z_lock: case Stage::i_lock: return 15;
    case Stage::w_unlock: case Stage::r_unlock: case Stage::v_unlock: case Stage::s_unlock: case Stage::c_unlock: case Stage::z_unlock: case Stage::i_unlock:
        return 8;
    case Stage::w_merge_copy: case Stage::w_copy: return copy_ns(e.c, 201);
    case Stage::r_copy: return copy_ns(e.c, 291);
    case Stage::w_page: return e.y ? 6 : 113;
    case Stage::r_release: case Stage::s_release: return e.y ? 6 : 51;
    case Stage::w_insert: return 12;
    case Stage::w_wake: case Stage::r_wake: case Stage::v_wake: case Stage::s_wake: case Stage::w_wake_next: case Stage::r_wake_next: return e.y ? 300 : 4;
    case Stage::w_sleep: case Stage::r_sleep: case Stage::v_sleep: case Stage::s_sleep: case Stage::m_sleep: return 225;
    case Stage::g_walk: return 31;
    case Stage::g_pte: return 15 + 7;
    case Stage::g_huge: return 19;
    case Stage::g_record: return e.c;
    case Stage::g_slow: return 73;
    case Stage::g_fault: return 400;
    case Stage::v_pages: return 19;
    case Stage::v_drop: return 8 * e.c;
    case Stage::v_add: return 6;
    case Stage::s_actor: return 5;
    case Stage::c_free: return 200;
    case Stage::z_copy: return 100;
    default: return 4;
    }
}

} // namespace pipescope
