// SPDX-License-Identifier: MIT
// Two rings of one pipe side by side, the model's and the kernel's: which is further on, and where they contradict each other.
#pragma once
#include "core/state.hpp"
#include <string>

namespace pipescope::rings {

inline std::uint32_t end_of(const PipeBuffer& b) { return b.offset + b.len; }
inline const PipeBuffer& at(const Pipe& p, std::uint32_t index) { return p.bufs[p.slot(index)]; }

// How far the model m is, beside the kernel k: slots, and bytes of the oldest and the newest one.
inline bool tail_behind(const Pipe& m, const Pipe& k) {
    if (m.tail != k.tail) return before(m.tail, k.tail);
    return !m.empty() && !k.empty() && at(m, m.tail).offset < at(k, k.tail).offset;
}
inline bool head_behind(const Pipe& m, const Pipe& k) {
    if (m.head != k.head) return before(m.head, k.head);
    return !m.empty() && !k.empty() && end_of(at(m, m.head - 1)) < end_of(at(k, k.head - 1));
}
inline bool same_place(const Pipe& m, const Pipe& k) {
    if (m.head != k.head || m.tail != k.tail) return false;
    return m.empty() || (at(m, m.tail).offset == at(k, k.tail).offset && end_of(at(m, m.head - 1)) == end_of(at(k, k.head - 1)));
}

struct Difference {
    std::uint32_t slot = no_id; // no_id: of head and tail
    std::string text;           // empty: there is none
};
// In slots that both hold: what was put there cannot differ, whoever had a turn meanwhile.
Difference contradiction(const Pipe& m, const Pipe& k);
// How far both are, in words; for rings that are not at the same place.
Difference difference(const Pipe& m, const Pipe& k);
// "head=9 tail=7 | 7:kernel@0+4096 M | …": nothing of which page is which.
std::string line(const Pipe& p);

} // namespace pipescope::rings
