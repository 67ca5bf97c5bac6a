// SPDX-License-Identifier: MIT
// The published figures, held to their bounds by one profile: throughput within 5 %, shares within 2 points, and the mode.
#include "sim/des/ladder.hpp"
#include <cmath>
#include <doctest/doctest.h>
#include <string>

using namespace pipescope;

namespace {

constexpr std::uint64_t bytes = std::uint64_t{512} << 20, runs = 2;

const Profile& profile() {
    static const Profile p = profile_load(PIPESCOPE_SOURCE_DIR "/assets/profiles/i7-8550u-5.17.toml");
    return p;
}

} // namespace

TEST_CASE("every rung of the published ladder, with one profile") {
    REQUIRE(ladder_rungs().size() == 6);
    for (const Rung& rung : ladder_rungs()) {
        CAPTURE(std::string(rung.name));
        double rate = 0, sleeps = 0;
        std::vector<double> shares(rung.shares.size());
        for (std::uint64_t i = 0; i < runs; ++i) {
            const RungResult r = run_rung(profile(), rung.options, bytes, 1 + i);
            rate += r.gib_per_s / runs;
            sleeps += (r.writer_sleeps + r.reader_sleeps) / 2 / runs;
            for (std::size_t k = 0; k < shares.size(); ++k) shares[k] += r.ledger.share(rung.shares[k].path) / runs;
        }
        CHECK(std::abs(rate / rung.published_gib_per_s - 1) < 0.05);
        for (std::size_t k = 0; k < shares.size(); ++k) {
            CAPTURE(std::string(rung.shares[k].path));
            CAPTURE(shares[k]);
            CHECK(std::abs(shares[k] - rung.shares[k].published) < 0.02);
        }
        // The published profiles show two modes of the ring: with 4 KiB pages both sides spin, with huge pages they sleep.
        if (std::string(rung.name) == "vmsplice/splice") CHECK(sleeps < 0.4);
        if (std::string(rung.name) == "+huge pages") CHECK(sleeps > 0.5);
        if (std::string(rung.name) == "+busy loop") CHECK(sleeps == 0);
    }
}
