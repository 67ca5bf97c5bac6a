// SPDX-License-Identifier: MIT
// Lock step live: one real call at a time, seen from outside; the same as all at once; and a kernel's half that is lost.
#include "scenario_case.hpp"
#include "sim/lockstep/kernel_half.hpp"
#include "sim/lockstep/lockstep.hpp"
#include "sim/lockstep/player.hpp"
#include "sim/scenario/kernel_backend.hpp"
#include <csignal>
#include <doctest/doctest.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/ioctl.h>
#include <map>
#include <thread>

using namespace pipescope;
using lockstep::Run;
using scenario_test::CaseFile;

namespace {

std::unique_ptr<Run> begun(const std::string& path, const KernelVersion& v = {}) {
    std::string error;
    auto run = Run::begin(path, v, error);
    REQUIRE_MESSAGE(run, error);
    return run;
}

std::string seen_text(const lockstep::Comparison& c) {
    std::string out = fmt::format("{} calls, {}, {}\n", c.calls, c.rings, c.why);
    for (const lockstep::Reading& r : c.readings) {
        out += fmt::format("after {}:", r.event);
        for (const std::string& ring : r.rings) out += " [" + ring + "]";
        out += '\n';
    }
    for (const lockstep::Divergence& d : c.divergences) out += fmt::format("{} {} {} {}\n", d.event, d.pipe, d.slot, d.text);
    return out;
}

// The kernel's half from its beginning to its end, with nobody asking in between: what a run step by step is to come to.
std::string at_once(const std::string& path, const KernelVersion& v) {
    std::string lost;
    const std::string text = in_own_process(
        [&] {
            auto* const kernel = new KernelBackend(shared_ring_reader());
            lockstep::Player player(v, kernel);
            player.load(path);
            while (!player.over()) player.next();
            auto& d = player.shadow.seen.divergences;
            std::stable_sort(d.begin(), d.end(), [](const auto& a, const auto& b) { return a.event < b.event; });
            std::string whole = seen_text(player.shadow.seen);
            for (char& c : whole)
                if (c == '\n') c = '\t';
            return whole;
        },
        60'000, lost);
    CHECK(lost == "");
    std::string out = text;
    for (char& c : out)
        if (c == '\t') c = '\n';
    return out;
}

// Bytes in all the pipes that a process holds.
int queued(int pid) {
    std::map<std::string, int> bytes;
    std::error_code ec;
    for (const auto& e : std::filesystem::directory_iterator(fmt::format("/proc/{}/fd", pid), ec)) {
        const std::string what = std::filesystem::read_symlink(e.path(), ec).string();
        if (what.rfind("pipe:", 0) != 0) continue;
        const int fd = ::open(e.path().c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
        if (fd < 0) continue;
        int n = 0;
        if (::ioctl(fd, FIONREAD, &n) == 0) bytes[what] = n;
        ::close(fd);
    }
    int sum = 0;
    for (const auto& [pipe, n] : bytes) sum += n;
    return sum;
}

constexpr const char* five_writes = "local p = pipe()\n"
                                    "for i = 1, 5 do write(p.w, \"x\") end\n"
                                    "read(p.r, 5)\n";

} // namespace

TEST_CASE("lock step live: step by step comes to what all at once comes to") {
    const CaseFile parts("local p, z = pipe{nonblock=true}, zero()\nwrite(p.w, \"abc\")\nsplice(z, nil, p.w, nil, 10)\nwrite(p.w, \"d\")\nread(p.r, 4)\n");
    const std::string assets = PIPESCOPE_SOURCE_DIR "/assets/scenarios/";
    struct {
        std::string path;
        const char* kernel; // "": this one
        bool diverges;
    } const cases[] = {{assets + "merge.lua", "", false}, {assets + "hand_over.lua", "", false}, {assets + "two_writers_one_lock.lua", "", false},
        {assets + "packets.lua", "", false}, {parts.path.string(), "5.10", true}};
    for (const auto& c : cases) {
        CAPTURE(c.path);
        const auto run = begun(c.path, *c.kernel ? *kernel_version(c.kernel) : KernelVersion{});
        if (!run->comparison().why.empty()) return; // no kernel to be asked here
        for (const Event& e : run->timeline().events()) CHECK(e.kind != EventKind::sys_enter);
        std::size_t steps = 0;
        while (run->more()) {
            const lockstep::Coming coming = run->coming();
            const std::size_t had = run->timeline().size();
            run->timeline().seek(had / 2); // somebody looks back
            REQUIRE(run->next());
            ++steps;
            std::size_t calls = 0; // that began in this step: the one that was told, or none at the end
            for (std::size_t i = had; i < run->timeline().size(); ++i)
                if (const Event& e = run->timeline()[i]; e.kind == EventKind::sys_enter) {
                    ++calls;
                    CHECK(e.task == coming.task);
                }
            CHECK(calls == (coming.task == no_id ? 0 : 1));
        }
        CHECK(steps == run->steps());
        CHECK(run->kernel_pid() == 0);
        CHECK(run->comparison().divergences.empty() != c.diverges);
        CHECK(seen_text(run->comparison()) == at_once(c.path, run->version()));
    }
}

TEST_CASE("lock step live: the kernel's half makes no call before it is asked for") {
    const CaseFile f(five_writes);
    const auto run = begun(f.path.string());
    if (!run->comparison().why.empty()) return;
    const int pid = run->kernel_pid();
    REQUIRE(pid > 0);
    CHECK(queued(pid) == 0);
    for (int n = 1; n <= 5; ++n) {
        CHECK(run->coming().call == "write(4, 1)");
        CHECK(run->coming().result == "1");
        CHECK(run->coming().line == 2);
        REQUIRE(run->next());
        std::this_thread::sleep_for(std::chrono::milliseconds(20)); // it would have run ahead by now
        CHECK(queued(pid) == n);
        CHECK(run->comparison().calls == static_cast<std::uint64_t>(n));
    }
    REQUIRE(run->next());
    CHECK(queued(pid) == 0);
    CHECK(run->coming().task == no_id); // the scenario ends
    REQUIRE(run->next());
    CHECK(!run->more());
    CHECK(!run->next());
}

TEST_CASE("lock step live: what the model predicts of the next call") {
    const CaseFile f("local p = pipe()\nlocal r = task(\"r\", function() return read(p.r, 10) end)\nrun(r)\nwrite(p.w, \"abc\")\nclose(p.r)\nwrite(p.w, \"d\")\n");
    const auto run = begun(f.path.string());
    CHECK(run->coming().name == "r");
    CHECK(run->coming().call == "read(3, 10)");
    CHECK(run->coming().result == "it sleeps");
    run->next();
    CHECK(run->coming().name == "main");
    CHECK(run->coming().result == "3");
    run->next(), run->next();
    CHECK(run->coming().result == "EPIPE");
}

TEST_CASE("lock step live: a kernel's half that dies is one sentence, and what was played stays") {
    const CaseFile f(five_writes);
    const auto run = begun(f.path.string());
    if (!run->comparison().why.empty()) return;
    REQUIRE(run->next());
    REQUIRE(run->next());
    const std::size_t events = run->timeline().size();
    const auto before = run->comparison().readings.size();
    ::kill(run->kernel_pid(), SIGKILL);
    REQUIRE(run->next()); // by the model alone
    CHECK(run->comparison().why == "its process was ended by Killed");
    CHECK(run->comparison().until == events);
    CHECK(run->comparison().calls == 2);
    CHECK(run->comparison().readings.size() == before);
    CHECK(run->kernel_pid() == 0);
    CHECK(!run->waiting());
    CHECK(run->timeline().size() > events);
    run->finish(100'000);
    CHECK(!run->more());
    CHECK(run->comparison().divergences.empty());
}

TEST_CASE("lock step live: a call that does not come back is waited for as long as somebody wants, and is no end") {
    const CaseFile f(five_writes);
    const auto run = begun(f.path.string());
    if (!run->comparison().why.empty()) return;
    REQUIRE(run->next());
    const std::size_t events = run->timeline().size();
    ::kill(run->kernel_pid(), SIGSTOP);
    CHECK(!run->next(0));
    CHECK(run->waiting());
    CHECK(!run->next(10));
    CHECK(run->timeline().size() == events); // the model does not go on without it
    CHECK(run->comparison().calls == 1);
    ::kill(run->kernel_pid(), SIGCONT);
    REQUIRE(run->next());
    CHECK(!run->waiting());
    CHECK(run->comparison().calls == 2); // one call, however often it was asked for
    CHECK(run->steps() == 2);
}

TEST_CASE("lock step live: the process goes with the run, whatever it is in") {
    const CaseFile f("local p = pipe()\nlocal r = task(\"r\", function() return read(p.r, 1) end)\nrun(r)\nwrite(p.w, \"x\")\n");
    for (const bool stopped : {false, true}) {
        auto run = begun(f.path.string());
        if (!run->comparison().why.empty()) return;
        REQUIRE(run->next()); // r sleeps in the kernel
        const int pid = run->kernel_pid();
        REQUIRE(::kill(pid, 0) == 0);
        if (stopped) ::kill(pid, SIGSTOP);
        run.reset();
        CHECK(::kill(pid, 0) == -1);
        CHECK(errno == ESRCH);
    }
}
