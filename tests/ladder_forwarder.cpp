// SPDX-License-Identifier: MIT
// The forwarder's table: order and ratios within 15 % with one profile, and who waits for which mutex.
#include "sim/des/forwarder.hpp"
#include <cmath>
#include <doctest/doctest.h>
#include <filesystem>
#include <fstream>
#include <stdexcept>

using namespace pipescope;

namespace {

const std::string path = PIPESCOPE_SOURCE_DIR "/assets/profiles/forwarder-100g.toml";

const NetProfile& profile() {
    static const NetProfile p = net_profile_load(path);
    return p;
}
LockUse all_locks(const ForwarderResult& r) {
    LockUse sum;
    for (const auto& tasks : r.ledger.locks)
        for (const LockUse& u : tasks) sum += u;
    return sum;
}
bool near(double a, double b, double part) { return std::abs(a / b - 1) < part; }

} // namespace

TEST_CASE("forwarders: the published order and ratios") {
    REQUIRE(forwarder_rows().size() == 3);
    for (const std::uint64_t seed : {1u, 2u}) {
        CAPTURE(seed);
        std::vector<ForwarderResult> r;
        for (const ForwarderRow& row : forwarder_rows()) r.push_back(run_forwarder(profile(), row.how, 6, seed));
        const ForwarderResult &copy = r[0], &shared = r[1], &own = r[2];
        CAPTURE(copy.gbit_per_s);
        CAPTURE(shared.gbit_per_s);
        CAPTURE(own.gbit_per_s);
        CHECK(near(shared.gbit_per_s / copy.gbit_per_s, 0.74, 0.15));
        CHECK(near(own.gbit_per_s / copy.gbit_per_s, 3.6, 0.15));
        for (std::size_t i = 0; i < r.size(); ++i) {
            CAPTURE(i);
            CHECK(r[i].unbooked == 0);
            const ForwarderRow& p = forwarder_rows()[i];
            CHECK(near(r[i].gbit_per_s, p.gbit_per_s, 0.15));
            CHECK(std::abs(r[i].user - p.user) < 0.05); // shares were published of user and system time alone
            CHECK(std::abs(r[i].system - p.system) < 0.05);
            CHECK(r[i].user + r[i].system + r[i].softirq + r[i].other <= 1.0001);
        }
        // Why: with one pipe most of all time goes into waiting for one mutex; with a pipe each nobody ever waits.
        CHECK(shared.ledger.share("worker/splice/do_syscall_64/__do_sys_splice/splice_file_to_pipe/mutex_lock") > 0.6);
        CHECK(all_locks(shared).waits > all_locks(shared).taken * 8 / 10);
        CHECK(shared.ledger.counts.eagains > 1000);
        CHECK(all_locks(own).waits == 0);
        CHECK(all_locks(own).taken > 100);
        CHECK(all_locks(copy).taken == 0);
    }
}

TEST_CASE("forwarders: what is counted") {
    const ForwarderResult copy = run_forwarder(profile(), Forward::copy, 2, 1), own = run_forwarder(profile(), Forward::own_pipe, 2, 1);
    CHECK(near(static_cast<double>(copy.ledger.counts.bytes_copied), 2.0 * static_cast<double>(copy.bytes), 0.05));
    CHECK(own.ledger.counts.bytes_copied == 0);
    CHECK(own.ledger.counts.eagains == 0);
    CHECK(own.gbit_per_s < profile()[Net::line_rate]); // no more than the line takes, with its frames
    NetProfile slow = profile();
    slow.at(Net::line_rate) = 10;
    CHECK(near(run_forwarder(slow, Forward::own_pipe, 4, 1).gbit_per_s, 10 * 1448.0 / 1538, 0.02));
}

TEST_CASE("forwarders: the same seed gives the same run, and a lock's time adds up") {
    const ForwarderResult a = run_forwarder(profile(), Forward::shared_pipe, 2, 3), b = run_forwarder(profile(), Forward::shared_pipe, 2, 3),
                          c = run_forwarder(profile(), Forward::shared_pipe, 2, 4);
    CHECK(a.bytes == b.bytes);
    CHECK(a.ledger.report(0) == b.ledger.report(0));
    CHECK(a.ledger.total() != c.ledger.total());
    const LockUse u = all_locks(a);
    CHECK(u.held_ps <= 2'100'000'000); // one at a time: of 2 ms
    CHECK(u.held_ps > 500'000'000);
    CHECK(u.spun_ps <= u.waited_ps);
    CHECK(u.spun_ps > u.held_ps); // several spin while one has it
    CHECK(u.sleeps <= u.waits);
    CHECK(u.sleeps > 50); // a spinner makes room for the receiving thread of its CPU, and sleeps
}

TEST_CASE("forwarders: waiting for space sleeps where asking again spins") {
    const ForwarderResult spins = run_forwarder(profile(), Forward::shared_pipe, 4, 1), waits = run_forwarder(profile(), Forward::shared_waiting, 4, 1);
    CHECK(waits.ledger.counts.eagains == 0);
    CHECK(waits.switches_per_s > spins.switches_per_s * 2);
    CHECK(waits.system < spins.system / 2);
}

TEST_CASE("a forwarder's profile is complete, or it is refused with a reason") {
    const auto refusal = [](const std::string& from, const std::string& to) {
        std::string s;
        std::getline(std::ifstream(path), s, '\0');
        const auto at = s.find(from);
        REQUIRE(at != std::string::npos);
        s.replace(at, from.size(), to);
        const auto dir = std::filesystem::temp_directory_path() / "pipescope_forwarder_test";
        std::filesystem::create_directories(dir);
        std::filesystem::copy_file(PIPESCOPE_SOURCE_DIR "/assets/profiles/i7-8550u-5.17.toml", dir / "i7-8550u-5.17.toml",
            std::filesystem::copy_options::overwrite_existing);
        std::ofstream(dir / "x.toml") << s;
        std::string what;
        try {
            net_profile_load(dir / "x.toml");
        } catch (const std::runtime_error& e) {
            what = e.what();
        }
        std::filesystem::remove_all(dir);
        return what;
    };
    CHECK(refusal("base = \"i7", "base = \"i7").empty());
    CHECK(refusal("base = \"i7", "bass = \"i7").find("base is missing") != std::string::npos);
    CHECK(refusal("base = \"i7", "base = \"i8").find("cannot be opened") != std::string::npos);
    CHECK(refusal("cpus = { value = 16", "cpus = { value = 0").find("costs.cpus must be at least 1") != std::string::npos);
    CHECK(refusal("segment = { value = 1448", "segment = { value = 9000").find("must fit in a page") != std::string::npos);
    CHECK(refusal("tx_buffer", "tx_bufer").find("costs.tx_buffer is missing") != std::string::npos);
}
