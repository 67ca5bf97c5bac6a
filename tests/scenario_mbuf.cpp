// SPDX-License-Identifier: MIT
// Mbufs of scenarios beside those that `ladder --mbufs` counts: two programs, the same chains for every length.
#include "scenario_case.hpp"
#include "sim/mbuf/show.hpp"
#include <doctest/doctest.h>

using namespace scenario_test;

namespace {

// The card's queue after a datagram of each way, as the scenario's packets() says.
std::vector<std::string> queues(std::uint32_t bytes) {
    const std::string n = std::to_string(bytes), taken = std::to_string((bytes + 2047) / 2048);
    const CaseFile file("local m = mbuf_pool{clusters = 32}\nlocal c = clusters(m, " + taken + ")\nlocal b = buffer('12K')\n" +
                        "local function sent(buf, how)\n  if udp_send(m, buf:at(0, " + n + "), how) ~= " + n +
                        " then error('not sent') end\n  print(packets(m))\n  while card_fetch(m) ~= 'EAGAIN' do end\nend\n" +
                        "task('t', function() sent(b, 'copy') sent(c, 'share') if packets(m) ~= '' then error('left') end end)");
    std::string error;
    const auto s = Scenario::load(file.path.string(), KernelVersion{}, error);
    REQUIRE_MESSAGE(s, error);
    s->pump(100'000);
    REQUIRE(s->error() == "");
    std::uint32_t used = 0;
    for (const Mbuf& m : s->timeline().state().mbufs.mbufs) used += m.used;
    CHECK(used == 0);
    for (const Cluster& c : s->timeline().state().mbufs.clusters) CHECK(c.refs == c.taken);
    return s->printed();
}

} // namespace

TEST_CASE("mbufs: a datagram's chains are those of the ladder at every length around a limit") {
    for (const std::uint32_t n : {1u, 100u, 101u, 150u, 208u, 209u, 1472u, 1473u, 2047u, 2048u, 2049u, 2256u, 2257u, 2952u, 2953u, 4096u, 5120u, 9216u}) {
        CAPTURE(n);
        const bsd::Chains want = bsd::chains_of(n);
        const std::vector<std::string> got = queues(n);
        REQUIRE(got.size() == 2);
        CHECK(got[0] == want.copied_frames);
        CHECK(got[1] == want.shared_frames);
    }
}

TEST_CASE("mbufs: what cannot be sent leaves nothing behind") {
    const CaseResult r = check("local m = mbuf_pool{clusters = 2}\nlocal b, c = buffer('12K'), clusters(m, 1)\n"
                               "run(task('t', function()\n"
                               "expect(udp_send(m, b:at(0, 9217)), 'EMSGSIZE')\n"
                               "expect(udp_send(m, b:at(0, 4096)), 'ENOBUFS')\n" // one cluster is left
                               "expect(udp_send(m, b:at(0, 100), 'share'), 'EINVAL')\n"
                               "expect(udp_send(m, c:at(1, 100), 'share'), 'EINVAL')\n"
                               "expect(clusters(m, 2), 'ENOBUFS')\n"
                               "expect(packets(m), '')\n"
                               "expect(udp_send(m, b:at(0, 2048)), 2048)\n" // it is still there
                               "end))");
    CHECK_MESSAGE(r.status == CaseStatus::passed, r.message);
}
