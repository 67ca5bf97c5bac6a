// SPDX-License-Identifier: MIT
// Single rules that a test build can break, to show that comparing with a kernel finds it; nothing of it is in the program.
#pragma once

namespace pipescope {

enum class Mutant {
    none,
    merge_off_by_one,      // one byte less room behind the newest slot
    merge_any_flags,       // CAN_MERGE is not asked for
    merge_whole_size,      // the size decides, not its remainder
    full_one_early,        // one slot is never used by write()
    packet_keeps_rest,     // what a short read of a packet leaves stays
    fault_consumes,        // a read that faults takes the slot's bytes along
    spare_when_shared,     // a page that others refer to is kept as a spare
    resize_keeps_tail,     // head and tail go on after F_SETPIPE_SZ
    resize_counts_bytes,   // EBUSY by bytes, not by slots
    resize_rounds_down,    // sizes are rounded down to a power of two
    vmsplice_joins,        // neighbouring pieces of one page share a slot
    vmsplice_all_or_error, // a hole after good pages fails the whole call
    split_stays_mergeable, // CAN_MERGE survives on a part of a slot
    tee_keeps_gift,        // GIFT survives tee
    file_leaves_a_slot,    // splice from a file leaves the last free slot alone
    map_nothing_around,    // a read of a mapped file maps its page alone
    map_store_shared,      // a store to a private mapping of a file is a store to the file
    count
};

#ifdef PIPESCOPE_MUTANTS
inline Mutant active_mutant = Mutant::none;
inline bool mutant(Mutant m) { return m == active_mutant; }
#else
constexpr bool mutant(Mutant) { return false; }
#endif

} // namespace pipescope
