// SPDX-License-Identifier: MIT
// Parts of sentences that several stages share.
#include "sim/narrate_words.hpp"
#include <fmt/format.h>

namespace pipescope::words {

using fmt::format;

std::string plural(std::uint64_t n, const char* one, const char* many) { return format("{} {}", n, n == 1 ? one : many); }
std::string bytes_text(std::uint64_t n) { return plural(n, "byte", "bytes"); }
std::string slots_text(std::uint64_t n) { return plural(n, "slot", "slots"); }

const Pipe* pipe_of(const State& s, const Event& e) { return e.pipe < s.pipes.size() ? &s.pipes[e.pipe] : nullptr; }
static std::uint32_t usage_of(const State& s, const Event& e) {
    const Pipe* p = pipe_of(s, e);
    return p ? p->max_usage : 0;
}

std::string takes_lock(const State& s, const StringTable& names, const Event& e) {
    const Pipe* p = pipe_of(s, e);
    const char* whose = pipe_is_fifo(s, e.pipe) ? "FIFO" : "pipe";
    if (p && p->mutex.owner != no_id && p->mutex.owner != e.task)
        return format("Wants the {}'s mutex; {} has it.", whose, task_label(s, names, p->mutex.owner));
    return format("Goes for the {}'s mutex: whoever has it is alone with the ring.", whose);
}

// A waiter's stage lasts until it has the mutex, and the mutex may have changed hands since.
std::string waits_for_lock(const State& s, const StringTable& names, const Event& e) {
    const bool spins = e.stage == Stage::m_spin;
    const auto then = static_cast<TaskId>(e.x);
    const Pipe* p = pipe_of(s, e);
    const TaskId now = p ? p->mutex.owner : then;
    if (now == then && spins) return format("Spins: {} has the mutex and is running on another cpu.", task_label(s, names, then));
    if (now == then) return format("Sleeps in the mutex's list of waiters; {} has it.", task_label(s, names, then));
    if (now == e.task) return format("Has the mutex now, which {} had.", task_label(s, names, then));
    if (now == no_id)
        return format("{}: {} has released the mutex, and it is free.", spins ? "Spun for it" : "Slept for it", task_label(s, names, then));
    return format("{} still: {} was quicker and has the mutex now.", spins ? "Spins" : "Sleeps", task_label(s, names, now));
}
std::string releases_lock(const State& s, const StringTable& names, const Event& e) {
    const Pipe* p = pipe_of(s, e);
    if (p && !p->mutex.waiters.empty()) return format("Releases the mutex; {} waits for it.", task_label(s, names, p->mutex.waiters.front()));
    return "Releases the mutex; nobody waits for it.";
}

std::string room(const State& s, const Event& e) {
    const std::uint32_t most = usage_of(s, e);
    if (e.y) return format("All {} are in use: no room, whatever they hold.", slots_text(e.x));
    return most ? format("{} of {} in use: there is room.", e.x, slots_text(most)) : format("{} in use: there is room.", slots_text(e.x));
}
std::string data(const State& s, const Event& e) {
    if (e.y) return "head equals tail: the ring is empty.";
    const std::uint32_t most = usage_of(s, e);
    return most ? format("{} of {} filled: there is data.", e.x, slots_text(most)) : format("{} filled: there is data.", slots_text(e.x));
}
std::string wakes(const Event& e, const char* yes, const char* no) { return e.y ? yes : no; }

} // namespace pipescope::words
