// SPDX-License-Identifier: MIT
// The ledger, the costs and the wake-ups of a run, held against what its state and its events say.
#include "app/costs.hpp"
#include "app/ladder_run.hpp"
#include "app/lanes.hpp"
#include "app/tally.hpp"
#include "tests/demo_trace.hpp"
#include "app/document.hpp"
#include <doctest/doctest.h>

using namespace pipescope;

namespace {

std::unique_ptr<Document> scenario(const char* name) {
    std::string error;
    auto d = Document::open(std::string(PIPESCOPE_SOURCE_DIR "/assets/scenarios/") + name, KernelVersion{}, error);
    REQUIRE_MESSAGE(d, error);
    d->ensure(20'000);
    return d;
}
std::uint64_t time_at(const Timeline& t, std::size_t n) { return n ? t[n - 1].t_ns : 0; }

} // namespace

TEST_CASE("tally: what went in is what came out and what is in the ring, at every event") {
    for (const char* name : {"tour.lua", "ten_thousand_bytes.lua", "vmsplice_and_splice.lua", "merge.lua", "forwarder/3_own_pipe.lua"}) {
        const auto d = scenario(name);
        Tallies tallies;
        tallies.update(d->timeline());
        for (std::size_t n = 0; n <= d->timeline().size(); n += 7) {
            const State& s = d->timeline().seek(n);
            for (PipeId p = 0; p < s.pipes.size(); ++p) {
                if (s.pipes[p].freed || s.pipes[p].files == 0) continue; // what nobody read is lost
                bool reading = false; // what a read has taken counts when it returns
                for (const Task& t : s.tasks) reading = reading || t.sys == Sys::read || t.sys == Sys::readv || t.sys == Sys::close;
                if (reading) continue;
                const Tally t = tallies.at(n, time_at(d->timeline(), n), p);
                INFO(std::string(name), " event ", n, " pipe ", p);
                std::int64_t held = 0; // a slot is filled in before head moves over it
                for (const PipeBuffer& b : s.pipes[p].bufs) held += b.ops == BufOps::null ? 0 : b.len;
                CHECK(t[Count::bytes_in] - t[Count::bytes_out] == held);
            }
        }
    }
}

TEST_CASE("tally: calls, sleeps and copies are those of the state, and pipes add up to the whole") {
    const auto d = scenario("tour.lua");
    Tallies whole, slow;
    whole.update(d->timeline());
    Timeline bit_by_bit;
    for (const Event& e : d->timeline().events()) bit_by_bit.append(e), slow.update(bit_by_bit);
    for (std::size_t n = 0; n <= d->timeline().size(); ++n) {
        const State& s = d->timeline().seek(n);
        const Tally t = whole.at(n, time_at(d->timeline(), n), no_id), same = slow.at(n, time_at(d->timeline(), n), no_id);
        CHECK(t.of == same.of);
        std::uint64_t calls = 0, wakes = 0, sleeps = 0;
        for (const Task& k : s.tasks) calls += k.calls, wakes += k.wakes, sleeps += k.sleeps;
        CHECK(t[Count::calls] == static_cast<std::int64_t>(calls));
        CHECK(t[Count::wakes] == static_cast<std::int64_t>(wakes));
        CHECK(t[Count::switches] == static_cast<std::int64_t>(sleeps));
        CHECK(t[Count::copied_in] + t[Count::copied_out] + t[Count::copied_else] == static_cast<std::int64_t>(s.bytes_copied));
    }
    const std::size_t end = d->timeline().size();
    const Tally t = whole.at(end, time_at(d->timeline(), end), no_id), one = whole.at(end, time_at(d->timeline(), end), 0);
    CHECK(t[Count::bytes_in] == one[Count::bytes_in]);
    CHECK(t.copies_in() == doctest::Approx(1));
    CHECK(t.copies_out() == doctest::Approx(1));
    CHECK(t[Count::lock_ns] > 0);
    const auto v = scenario("vmsplice_and_splice.lua");
    Tallies moved;
    moved.update(v->timeline());
    const Tally m = moved.at(v->timeline().size(), 0, no_id);
    CHECK(m[Count::bytes_in] > 0);
    CHECK(m.copies_in() == 0);
    CHECK(m[Count::refs_taken] > 0);
}

TEST_CASE("costs: every task's time is in the kernel, in its own code or waiting, at every event") {
    const auto d = scenario("tour.lua");
    RunCosts costs;
    costs.update(d->timeline());
    const Timeline& t = d->timeline();
    std::vector<std::uint64_t> first; // time of each task's first call
    std::vector<std::uint64_t> last;  // … of its end
    for (std::size_t n = 1; n <= t.size(); ++n) {
        const Event& e = t[n - 1];
        if (e.task != no_id && e.task >= first.size()) first.resize(e.task + 1, ~0ull), last.resize(e.task + 1, ~0ull);
        if (e.kind == EventKind::sys_enter) first[e.task] = std::min(first[e.task], e.t_ns);
        if (e.kind == EventKind::task_exit) last[e.task] = std::min(last[e.task], e.t_ns);
        const CostTree tree = costs.at(n, e.t_ns, d->timeline().seek(n), d->strings(), 0);
        std::uint64_t want = 0, got = tree.total_ns;
        for (std::size_t k = 0; k < first.size(); ++k)
            if (first[k] != ~0ull) want += std::min(e.t_ns, last[k]) - first[k];
        for (const auto& [task, o] : tree.off) got += o.user_ns + o.lock_ns + o.space_ns + o.data_ns + o.ready_ns;
        INFO("event ", n);
        CHECK(got == want);
    }
    const CostTree tree = costs.at(t.size(), time_at(t, t.size()), d->timeline().state(), d->strings(), 0);
    double self = 0, roots = 0;
    for (const CostLine& l : tree.lines) self += l.self, roots += l.depth == 0 ? l.total : 0;
    CHECK(self == doctest::Approx(1));
    CHECK(roots == doctest::Approx(1));
}

TEST_CASE("costs: a rung's tree is its ledger's") {
    const LadderRun run = ladder_run(profile_builtin(), 4 << 20);
    CHECK(run.profile == "i7-8550u-5.17");
    REQUIRE(run.bars.size() == ladder_rungs().size());
    const LadderBar& b = run.bars[2];
    CHECK(b.published == doctest::Approx(32.8));
    CHECK(b.simulated > b.published * 0.8);
    CHECK(b.simulated < b.published * 1.2);
    double lock = 0;
    for (const CostLine& l : b.costs.lines)
        if (l.name == "mutex_lock" && lock == 0) lock = l.total;
    CHECK(lock == doctest::Approx(b.result.ledger.share("write/vmsplice/do_syscall_64/__do_sys_vmsplice/mutex_lock")));
}

TEST_CASE("costs: the ladder is run with a profile by its path, and refuses what is none in a sentence") {
    const std::vector<ProfileFile> list = ladder_profiles();
    REQUIRE(!list.empty());
    CHECK(list[0].name == profile_builtin().name);
    CHECK(list[0].path.empty());
    for (const ProfileFile& f : list) CHECK(f.name.find("mbuf") == std::string::npos);
    std::string error;
    CHECK(!ladder_profile("/no/such.toml", error));
    CHECK(error == "/no/such.toml: no such file");
    CHECK(!ladder_profile("/dev/zero", error));
    CHECK(error == "/dev/zero: not a file");
    const std::string mbufs = PIPESCOPE_SOURCE_DIR "/assets/profiles/mbuf-rtems-4.6.toml";
    CHECK(!ladder_profile(mbufs, error));
    CHECK(error.find(mbufs + ": ") == 0);
    CHECK(error.find('\n') == std::string::npos);
    Profile dear = profile_builtin();
    for (double& v : dear.value) v *= 2;
    const double ratio = ladder_run(dear, 4 << 20).bars[0].simulated / ladder_run(profile_builtin(), 4 << 20).bars[0].simulated;
    CHECK(ratio > 0.4);
    CHECK(ratio < 0.7);
}

TEST_CASE("lanes: a wake-up leads from who wakes to when the other goes on") {
    const auto d = scenario("tour.lua");
    Lanes lanes;
    lanes.update(d->timeline());
    const Timeline& t = d->timeline();
    std::size_t queue = 0, mutex = 0;
    for (const WakeUp& w : lanes.wakes()) {
        (w.lock ? mutex : queue) += 1;
        const Event& e = t[w.from_n - 1];
        CHECK(e.kind == (w.lock ? EventKind::run_state : EventKind::wake));
        CHECK((w.lock ? e.task : e.b) == w.woken);
        CHECK(w.waker != w.woken);
        REQUIRE(w.to_n > w.from_n);
        CHECK(t[w.to_n - 1].task == w.woken);
        CHECK(w.to_ns >= w.from_ns);
    }
    CHECK(queue > 0);
    CHECK(mutex > 0);
}
