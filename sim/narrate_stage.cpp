// SPDX-License-Identifier: MIT
// The sentence of each stage of a kernel function; core/stages.def says what its operands are.
#include "core/describe.hpp"
#include "sim/narrate_words.hpp"
#include <fmt/format.h>

namespace pipescope {
namespace {

using fmt::format;
using namespace words;

std::string merge(const State& s, const Event& e) {
    if (e.c == 0) return "The length is a whole number of pages: there are no odd bytes to append.";
    if (e.a == no_id) return format("The ring is empty: the {} odd bytes have no page to go behind.", e.c);
    const Pipe* p = pipe_of(s, e);
    const PipeBuffer* b = p && e.a < p->bufs.size() ? &p->bufs[e.a] : nullptr;
    if (e.y)
        return b && b->offset + b->len + e.c <= page_size
                   ? format("The {} odd bytes fit behind slot {}: {} + {} ≤ 4096.", e.c, e.a, b->offset + b->len, e.c)
                   : format("The {} odd bytes fit behind slot {}.", e.c, e.a);
    if (b && !(b->flags & PIPE_BUF_FLAG_CAN_MERGE)) return format("Slot {} does not carry CAN_MERGE: nothing may be appended to its page.", e.a);
    return b ? format("The {} odd bytes do not fit behind slot {}: {} + {} > 4096.", e.c, e.a, b->offset + b->len, e.c)
             : format("The {} odd bytes do not fit behind slot {}.", e.c, e.a);
}

std::string write_stage(const State& s, const StringTable& names, const Event& e) {
    const auto page = [&] { return page_label(s, names, e.b); };
    switch (e.stage) {
    case Stage::w_lock: return takes_lock(s, names, e);
    case Stage::w_readers:
        return e.x ? format("{} the pipe open: goes on.", e.x == 1 ? "One reader has" : format("{} readers have", e.x))
                   : "No reader is left: SIGPIPE, and EPIPE if nothing was written.";
    case Stage::w_merge: return merge(s, e);
    case Stage::w_merge_copy:
        return format("Appends {} from {} to page {} of slot {}, at offset {}; no new slot is needed.", bytes_text(e.c),
            user_place(s, names, e.task, e.x), page(), e.a, e.y);
    case Stage::w_full: return room(s, e);
    case Stage::w_page:
        return e.y   ? format("Takes the spare page {} out of tmp_page: no trip to the allocator.", page())
               : e.b ? format("Gets a fresh page, {}, from the page allocator.", page())
                     : std::string("Gets a fresh page from the page allocator.");
    case Stage::w_copy:
        return format("Copies {} from {} into page {} for slot {}; the mutex is held meanwhile.", bytes_text(e.c), user_place(s, names, e.task, e.x),
            page(), e.a);
    case Stage::w_insert:
        return format("Fills slot {} in with page {}, {}, and advances head to {}: readers may have it.", e.a, page(), bytes_text(e.c), e.x);
    case Stage::w_unlock: return releases_lock(s, names, e);
    case Stage::w_wake: return wakes(e, "The ring was empty: wakes a reader on rd_wait.", "The ring was not empty: no reader sleeps for this data.");
    case Stage::w_sleep:
        return format(
            "Sleeps on wr_wait until a slot is free; {} so far.", e.c ? format("{} written", bytes_text(e.c)) : std::string("nothing written"));
    case Stage::w_wake_next:
        return wakes(e, "There is still room: passes the wake-up on to the next writer.", "Keeps the wake-up: no room for another writer.");
    default: return "";
    }
}

std::string read_stage(const State& s, const StringTable& names, const Event& e) {
    const auto page = [&] { return page_label(s, names, e.b); };
    switch (e.stage) {
    case Stage::r_lock:
    case Stage::s_lock: return takes_lock(s, names, e);
    case Stage::r_empty:
    case Stage::s_data: return data(s, e);
    case Stage::r_copy:
        return format("Copies {} from page {} of slot {}, offset {}, to {}.", bytes_text(e.c), page(), e.a, e.y, user_place(s, names, e.task, e.x));
    case Stage::r_consume: return format("Slot {} now begins at offset {}: the {} before it never come back.", e.a, e.y, bytes_text(e.y));
    case Stage::r_release:
    case Stage::s_release:
        return e.y ? format("Slot {} is empty: its page {} is kept as a spare in tmp_page.", e.a, page())
                   : format("Slot {} is empty: drops its reference on page {}.", e.a, page());
    case Stage::r_tail:
    case Stage::s_tail:
        return format("Advances tail to {}: slot {} is free.", e.x, pipe_of(s, e) ? pipe_of(s, e)->slot(static_cast<std::uint32_t>(e.x) - 1) : e.a);
    case Stage::r_unlock:
    case Stage::x_unlock:
    case Stage::s_unlock: return releases_lock(s, names, e);
    case Stage::r_wake:
        return wakes(
            e, "The ring was full and a slot became free: wakes a writer on wr_wait.", "No slot of a full ring became free: no writer to wake.");
    case Stage::r_sleep: return "Sleeps on rd_wait until there is data.";
    case Stage::r_wake_next:
        return wakes(e, "There is still data: passes the wake-up on to the next reader.", "Keeps the wake-up: no data for another reader.");
    case Stage::x_sleep:
    case Stage::s_sleep: return "Sleeps on rd_wait, not exclusively, until there is data.";
    case Stage::s_actor: return format("Hands {} of page {} in slot {} to the target: no copy.", bytes_text(e.c), page(), e.a);
    case Stage::s_wake: return wakes(e, "Slots were freed: wakes writers on wr_wait.", "No slot was freed: no writer to wake.");
    default: return "";
    }
}

std::string vmsplice_stage(const State& s, const StringTable& names, const Event& e) {
    const auto page = [&] { return page_label(s, names, e.b); };
    const auto where = [&] { return user_place(s, names, e.task, e.x); };
    switch (e.stage) {
    case Stage::v_lock: return takes_lock(s, names, e);
    case Stage::v_space:
    case Stage::v_full: return room(s, e);
    case Stage::v_sleep: return "Sleeps on wr_wait, not exclusively, until a slot is free.";
    case Stage::v_pages: return format("Asks for {} from {} on; {} to go.", plural(e.y, "page", "pages"), where(), bytes_text(e.c));
    case Stage::v_add:
        return format("Puts page {} into slot {} by reference, {}, and advances head to {}: nothing is copied.", page(), e.a, bytes_text(e.c), e.x);
    case Stage::v_drop: return format("The ring is full: gives {} back that found no slot.", plural(e.c, "page", "pages"));
    case Stage::v_unlock: return releases_lock(s, names, e);
    case Stage::v_wake:
        return wakes(e, "Wakes readers on rd_wait, as vmsplice always does when it added something.", "Nothing was added: wakes nobody.");
    case Stage::g_walk:
        return format("Walks the page tables from {} on for {}, interrupts off, without a lock.", where(), plural(e.y, "page", "pages"));
    case Stage::g_pte: return format("Reads the entry of {} and takes a reference on page {}.", where(), page());
    case Stage::g_huge: return format("One huge leaf holds {}: takes {} on its head in one go.", where(), plural(e.c, "reference", "references"));
    case Stage::g_record: return format("Writes down {} of the leaf, one after another, from {} on.", plural(e.c, "page", "pages"), where());
    case Stage::g_stop: return format("The entry of {} is not for the lockless walk: goes the slow way.", where());
    case Stage::g_slow: return format("Looks {} up under mmap_lock.", where());
    case Stage::g_fault: return format("Nothing is mapped at {}: maps a page for it.", where());
    default: return "";
    }
}

std::string move_stage(const State& s, const StringTable& names, const Event& e) {
    const auto page = [&] { return page_label(s, names, e.b); };
    switch (e.stage) {
    case Stage::t_input:
        return e.y ? "The input is empty: must wait before it locks both pipes." : format("The input has {} filled: goes on.", slots_text(e.x));
    case Stage::t_output:
        return e.y ? "The output is full: must wait before it locks both pipes."
                   : format("The output has {} in use: there is room.", slots_text(e.x));
    case Stage::t_lock:
    case Stage::l_lock: return "Takes both pipes' mutexes, the one at the lower address first.";
    case Stage::t_move:
        return format(
            "Moves slot {} of the input to slot {}: page {}, {}, with its reference; nothing is copied.", e.x, e.a, page(), bytes_text(e.c));
    case Stage::t_split:
        return format("Shares page {} of the input's slot {}: slot {} gets {} at offset {} and a reference of its own.", page(), e.x, e.a,
            bytes_text(e.c), e.y);
    case Stage::l_link:
        return format("Puts a second reference to page {} into slot {}, {}; the input's slot {} stays.", page(), e.a, bytes_text(e.c), e.x);
    case Stage::t_wake: return wakes(e, "Wakes readers of the output and writers of the input.", "Nothing was moved: wakes nobody.");
    case Stage::l_wake: return wakes(e, "Wakes readers of the output.", "Nothing was linked: wakes nobody.");
    case Stage::f_lock: return "Goes for the pipe's mutex, and keeps it for the whole read.";
    case Stage::f_read: return format("Asks the file for {} from offset {} on: as much as the free slots can hold.", bytes_text(e.c), e.x);
    case Stage::f_add:
        return format(
            "Puts page {} of the page cache into slot {}, {}, and advances head to {}: nothing is copied.", page(), e.a, bytes_text(e.c), e.x);
    case Stage::f_fill: return format("Reads into {}: this file has no page cache to share.", plural(e.c, "fresh page", "fresh pages"));
    case Stage::f_put: return format("Puts the fresh page {} into slot {}, {}, and advances head to {}.", page(), e.a, bytes_text(e.c), e.x);
    case Stage::f_unlock:
    case Stage::o_unlock: return releases_lock(s, names, e);
    case Stage::f_wake: return wakes(e, "Wakes readers on rd_wait.", "Nothing was added: wakes nobody.");
    case Stage::o_lock: return "Goes for the pipe's mutex, and keeps it for the whole write.";
    case Stage::o_write: return format("Copies {} from the queued pages into the file's page cache, at offset {}.", bytes_text(e.c), e.x);
    case Stage::o_release:
        return format("{} written whole: gives their pages back and advances tail.", e.x == 1 ? "1 slot was" : format("{} slots were", e.x));
    case Stage::o_wake: return wakes(e, "Slots were freed: wakes writers on wr_wait.", "No slot was freed: no writer to wake.");
    case Stage::d_round: return format("Fills the internal pipe and empties it again; {} so far.", bytes_text(e.x));
    default: return "";
    }
}

std::string other_stage(const State& s, const StringTable& names, const Event& e) {
    switch (e.stage) {
    case Stage::sys_fdget: return format("Looks descriptor {} up in the table of open files.", e.x);
    case Stage::c_lock:
    case Stage::z_lock:
    case Stage::i_lock:
    case Stage::n_lock: return takes_lock(s, names, e);
    case Stage::c_unlock:
    case Stage::z_unlock:
    case Stage::i_unlock:
    case Stage::n_unlock: return releases_lock(s, names, e);
    case Stage::c_count:
        return format(
            "This end is gone: {} and {} are left.", plural(e.x >> 32, "reader", "readers"), plural(e.x & 0xffffffffu, "writer", "writers"));
    case Stage::c_wake:
        return wakes(e, "One side has gone: wakes everybody on both queues.", "Both sides are still there, or both are gone: wakes nobody.");
    case Stage::c_free: return format("The last end is gone: frees the ring and the pages of {}.", slots_text(e.x));
    case Stage::z_limits: return format("Rounds {} up to {} and checks the limits.", bytes_text(e.x), slots_text(e.y));
    case Stage::z_busy:
        return e.x > e.y ? format("{} filled slots do not go into {}: EBUSY.", e.x, e.y)
                         : format("{} filled {} go into {}: it fits.", e.x, e.x == 1 ? "slot" : "slots", e.y);
    case Stage::z_copy:
        return format("Copies {} in order into a new array of {}: tail becomes 0, head {}.", plural(e.x, "filled slot", "filled slots"), e.y, e.x);
    case Stage::z_wake: return wakes(e, "The ring was full and has room now: wakes writers.", "The ring was not full: wakes nobody.");
    case Stage::n_count:
        return format("This end counts now: {} and {}; a partner that waits is woken.", plural(e.x >> 32, "reader", "readers"),
            plural(e.x & 0xffffffffu, "writer", "writers"));
    case Stage::n_wait: return "The other side is not open: sleeps on rd_wait until it is.";
    case Stage::i_sum: return format("Adds up the lengths from tail to head: {}.", bytes_text(e.x));
    case Stage::p_look: {
        const std::string bits = poll_string(static_cast<std::uint32_t>(e.y));
        return format("Reads head {} and tail {} without the mutex: {}.", e.x >> 32, e.x & 0xffffffffu, bits.empty() ? "nothing is ready" : bits);
    }
    case Stage::q_head: return format("Reads head, {}, without the mutex; tail comes later.", e.x);
    case Stage::q_tail: return format("Reads tail, {}: with the head of {} that makes {} slots in use.", e.y, e.x, static_cast<std::uint32_t>(e.x - e.y));
    case Stage::z_usage: return format("Only now may writers use all {}.", slots_text(e.y));
    case Stage::m_spin:
    case Stage::m_sleep: return waits_for_lock(s, names, e);
    default: return "";
    }
}

} // namespace

std::string narrate_stage(const State& s, const StringTable& names, const Event& e) {
    for (const auto part : {write_stage, read_stage, vmsplice_stage, move_stage, other_stage, narrate_socket_stage, narrate_mbuf_stage})
        if (std::string text = part(s, names, e); !text.empty()) return text;
    return stage_info(e.stage).does;
}

} // namespace pipescope
