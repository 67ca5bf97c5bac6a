// SPDX-License-Identifier: MIT
// Compares slot by slot.
#include "sim/beside/rings.hpp"
#include "core/describe.hpp"
#include <fmt/format.h>

namespace pipescope::rings {
namespace {

const char* kind(const PipeBuffer& b) { return b.ops == BufOps::user_page ? "user" : b.ops == BufOps::anon ? "kernel" : "other"; }

std::string slot_text(const PipeBuffer& b) {
    return fmt::format("a {} page with {} bytes at offset {}, flags {:#x}", kind(b), b.len, b.offset, b.flags);
}

} // namespace

Difference contradiction(const Pipe& m, const Pipe& k) {
    const std::uint32_t from = before(m.tail, k.tail) ? k.tail : m.tail, to = before(m.head, k.head) ? m.head : k.head;
    for (std::uint32_t i = from; before(i, to); ++i) {
        const PipeBuffer &a = at(m, i), &b = at(k, i);
        const bool oldest = i == m.tail || i == k.tail, newest = i + 1 == m.head || i + 1 == k.head;
        const bool differs = a.ops != b.ops || a.flags != b.flags || (!newest && end_of(a) != end_of(b)) || (!oldest && a.offset != b.offset);
        if (differs) return {k.slot(i), fmt::format("slot {} holds {} in the kernel, {} in the model", k.slot(i), slot_text(b), slot_text(a))};
    }
    return {};
}

Difference difference(const Pipe& m, const Pipe& k) {
    if (m.head != k.head || m.tail != k.tail)
        return {no_id, fmt::format("head {} and tail {} in the kernel are not to be reached: the model has {} and {}", k.head, k.tail, m.head, m.tail)};
    const std::uint32_t i = at(m, m.tail).offset != at(k, m.tail).offset ? m.tail : m.head - 1;
    return {k.slot(i), fmt::format("slot {} holds {} in the kernel, {} in the model", k.slot(i), slot_text(at(k, i)), slot_text(at(m, i)))};
}

std::string line(const Pipe& p) {
    std::string out = fmt::format("head={} tail={}", p.head, p.tail);
    for (std::uint32_t i = p.tail; i != p.head; ++i) {
        const PipeBuffer& b = at(p, i);
        const std::string flags = buf_flags_string(b.flags);
        out += fmt::format(" | {}:{}@{}+{}{}{}", p.slot(i), kind(b), b.offset, b.len, flags.empty() ? "" : " ", flags);
    }
    return out;
}

} // namespace pipescope::rings
