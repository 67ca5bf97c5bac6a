// SPDX-License-Identifier: MIT
// The built-in forwarder, not recorded: every byte arrives by each way, workers end with their connections, a lost one is told.
#include "sim/live/forwarder.hpp"
#include "sim/live/forwarder_live.hpp"
#include <csignal>
#include <doctest/doctest.h>
#include <unistd.h>

using namespace pipescope;

namespace {

constexpr Forward all_ways[] = {Forward::copy, Forward::shared_pipe, Forward::shared_waiting, Forward::own_pipe};

} // namespace

TEST_CASE("a forwarder passes on every byte, whichever way it takes") {
    for (const Forward how : all_ways) {
        ForwardOptions o;
        o.how = how, o.connections = 3, o.bytes = (4 << 20) + 4099, o.verify = true;
        CAPTURE(forward_word(how));
        std::string error;
        const auto f = Forwarder::start(o, error);
        REQUIRE_MESSAGE(f != nullptr, error);
        f->go();
        f->wait();
        CHECK(f->error() == "");
        std::uint64_t sum = 0;
        for (std::uint32_t c = 0; c < o.connections; ++c) {
            const ForwardReport &s = f->report(ForwardRole::sender, c), &w = f->report(ForwardRole::worker, c), &r = f->report(ForwardRole::receiver, c);
            CHECK(s.bytes == o.share(c));
            CHECK(w.bytes == o.share(c));
            CHECK(r.bytes == o.share(c));
            CHECK(w.calls >= 3); // at least one in, one out, and the end
            if (how == Forward::copy || how == Forward::own_pipe) CHECK(w.agains == 0);
            sum += r.bytes;
        }
        CHECK(sum == o.bytes);
        CHECK_FALSE(f->running());
    }
}

TEST_CASE("a connection that ends with nothing sent ends its worker, and the others go on") {
    for (const Forward how : all_ways) {
        ForwardOptions o;
        o.how = how, o.connections = 4, o.bytes = 2, o.verify = true; // a byte each for two of them; the half-closed others give 0 at once
        CAPTURE(forward_word(how));
        std::string error;
        const auto f = Forwarder::start(o, error);
        REQUIRE_MESSAGE(f != nullptr, error);
        f->go();
        f->wait();
        CHECK(f->error() == "");
        for (std::uint32_t c = 0; c < o.connections; ++c) {
            CHECK(f->report(ForwardRole::worker, c).done == 1);
            CHECK(f->report(ForwardRole::worker, c).bytes == (c < 2 ? 1 : 0));
            CHECK(f->report(ForwardRole::receiver, c).bytes == (c < 2 ? 1 : 0));
        }
    }
}

TEST_CASE("a receiver that dies ends the run with a sentence and leaves nobody behind") {
    for (const Forward how : all_ways) {
        ForwardOptions o;
        o.how = how, o.connections = 2, o.bytes = std::uint64_t{1} << 40; // more than is ever sent
        CAPTURE(forward_word(how));
        std::string error;
        const auto f = Forwarder::start(o, error);
        REQUIRE_MESSAGE(f != nullptr, error);
        f->go();
        ::kill(f->report(ForwardRole::receiver, 1).pid, SIGKILL);
        f->wait();
        CHECK(f->error() != "");
        CHECK(f->error().find('\n') == std::string::npos);
        for (const ForwardRole role : {ForwardRole::sender, ForwardRole::worker, ForwardRole::receiver})
            for (std::uint32_t c = 0; c < 2; ++c) CHECK(::kill(f->report(role, c).pid, 0) != 0);
    }
}

TEST_CASE("a forwarder that was never let go leaves nobody behind") {
    std::string error;
    auto f = Forwarder::start({}, error);
    REQUIRE_MESSAGE(f != nullptr, error);
    const pid_t pid = f->report(ForwardRole::worker, 0).pid;
    CHECK(::kill(pid, 0) == 0);
    f.reset();
    CHECK(::kill(pid, 0) != 0);
}

TEST_CASE("a forwarder's options that cannot be are told in a sentence") {
    std::string error;
    ForwardOptions o;
    o.connections = 0;
    CHECK(Forwarder::start(o, error) == nullptr);
    CHECK(error.find("--connections 0") == 0);
    o.connections = 2, o.how = Forward::copy, o.pipe_size = 65536;
    CHECK(Forwarder::start(o, error) == nullptr);
    CHECK(error.find("--pipe-size") == 0);
    o.how = Forward::own_pipe, o.pipe_size = std::uint64_t{1} << 30;
    o.bytes = 1;
    const auto f = Forwarder::start(o, error); // root may have so large a pipe
    CHECK((f != nullptr || error.find("a pipe cannot have 1073741824 bytes") == 0));
    Forward how;
    CHECK(forward_of("shared", how));
    CHECK(how == Forward::shared_pipe);
    CHECK_FALSE(forward_of("splice", how));
}

TEST_CASE("the forwarders' live rows: as many runs as asked for, of all bytes") {
    std::vector<const ForwarderRow*> rows;
    for (const ForwarderRow& r : forwarder_rows()) rows.push_back(&r);
    LiveForwardWish wish;
    wish.connections = 2, wish.bytes = 3 << 20, wish.runs = 2;
    const auto live = run_forwarders_live(rows, wish);
    REQUIRE(live.size() == 3);
    for (const LiveForwardRow& r : live) {
        CHECK(r.error == "");
        REQUIRE(r.runs.size() == 2);
        CHECK(r.runs[0].bytes == 3 << 20);
        CHECK(r.least() <= r.most());
        CHECK(r.median(&LiveForward::gbit_per_s) > 0);
    }
}
