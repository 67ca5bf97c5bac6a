// SPDX-License-Identifier: MIT
// BSD mbufs: chains, shared clusters, and the two ways to send, with the paper's improvements within 2 points.
#include "sim/mbuf/send.hpp"
#include "sim/mbuf/show.hpp"
#include <algorithm>
#include <cmath>
#include <doctest/doctest.h>

using namespace pipescope::bsd;

namespace {

std::vector<std::uint8_t> bytes(std::uint32_t n) {
    std::vector<std::uint8_t> v(n);
    for (std::uint32_t i = 0; i < n; ++i) v[i] = static_cast<std::uint8_t>('A' + i % 23);
    return v;
}
std::vector<std::uint8_t> flat(Pool& p, MbufId m) {
    std::vector<std::uint8_t> v;
    for (; m != none; m = p.at(m).next) v.insert(v.end(), p.data(m).begin(), p.data(m).end());
    return v;
}
std::vector<std::uint8_t> all(Pool& p, MbufId packets) { // of all packets, headers are empty here
    std::vector<std::uint8_t> v;
    for (; packets != none; packets = p.at(packets).nextpkt) {
        const auto one = flat(p, packets);
        v.insert(v.end(), one.begin(), one.end());
    }
    return v;
}

} // namespace

TEST_CASE("mbufs: where bytes go by their number") {
    struct {
        std::uint32_t bytes, links, clusters;
    } const cases[] = {{1, 1, 0}, {100, 1, 0}, {101, 2, 0}, {208, 2, 0}, {209, 1, 1}, {2048, 1, 1}, {2049, 2, 2}, {5120, 3, 3}};
    for (const auto& c : cases) {
        CAPTURE(c.bytes);
        Pool p(16);
        const auto user = bytes(c.bytes);
        const MbufId m = sosend_copy(p, user);
        CHECK(p.links(m) == c.links);
        CHECK(p.length(m) == c.bytes);
        CHECK(p.free_clusters() == 16 - c.clusters);
        CHECK((p.at(m).flags & M_PKTHDR) != 0);
        CHECK(flat(p, m) == user);
        CHECK(p.counts.copied == c.bytes);
        p.m_freem(m);
        CHECK(p.free_clusters() == 16);
        CHECK(p.mbufs_in_use() == 0);
    }
    // Without clusters 2048 bytes would take 20 mbufs.
    CHECK(1 + (2048 - mhlen + mlen - 1) / mlen == 20);
    Pool none_left(0);
    CHECK(sosend_copy(none_left, bytes(500)) == none);
    CHECK(none_left.mbufs_in_use() == 0);
}

TEST_CASE("mbufs: clusters are shared, and freed with their last reference") {
    Pool p(8);
    const auto mine = p.take(3);
    REQUIRE(mine.size() == 3);
    CHECK(std::is_sorted(mine.begin(), mine.end()));
    CHECK(p.take(6).empty()); // not as many
    const auto user = bytes(5120);
    for (std::uint32_t i = 0; i < 5120; ++i) p.cluster(mine[i / mclbytes])[i % mclbytes] = user[i];
    const MbufId packets = udp_send(p, sosend_share(p, mine, 5120));
    CHECK(p.counts.copied == 0);
    CHECK(all(p, packets) == user);
    std::uint32_t n = 0;
    for (MbufId m = packets; m != none; m = p.at(m).nextpkt, ++n) CHECK(p.length(m) <= 1480);
    CHECK(n == 4);
    CHECK(p.references(mine[0]) > 1);
    p.cluster(mine[0])[0] = '!'; // not copied: what is stored before the card fetches it is sent
    CHECK(all(p, packets)[0] == '!');
    transmitted(p, packets);
    for (const ClusterId c : mine) CHECK(p.references(c) == 1); // still the user's
    CHECK(p.free_clusters() == 5);
    for (const ClusterId c : mine) p.drop(c);
    CHECK(p.free_clusters() == 8);
    CHECK(p.mbufs_in_use() == 0);
}

TEST_CASE("mbufs: a copied datagram is cut without copying it again") {
    Pool p(8);
    const auto user = bytes(4096);
    const MbufId packets = udp_send(p, sosend_copy(p, user));
    CHECK(all(p, packets) == user);
    CHECK(p.counts.copied == 4096);
    CHECK(p.counts.references == 3); // the second packet takes of both clusters, the third of one
    transmitted(p, packets);
    CHECK(p.free_clusters() == 8);
    CHECK(p.mbufs_in_use() == 0);
}

TEST_CASE("mbufs: the paper's tables, improvement within 2 points") {
    const Costs costs = costs_load(PIPESCOPE_SOURCE_DIR "/assets/profiles/mbuf-rtems-4.6.toml");
    REQUIRE(measured().size() == 10);
    for (const Measured& m : measured()) {
        CAPTURE(m.bytes);
        CAPTURE(m.messages);
        const Measured s = simulate(costs, m.bytes, m.messages);
        CHECK(std::abs(s.improvement() - m.improvement()) < 0.02);
        CHECK(std::abs(s.before / m.before - 1) < 0.08);
        CHECK(std::abs(s.after / m.after - 1) < 0.08);
    }
}

TEST_CASE("mbufs: chains as text") {
    const Chains small = chains_of(150), large = chains_of(5120);
    CHECK(small.copied == "packet 1, 150 bytes: [H 100/100] -> [50/108]\n");
    CHECK(small.shared == "packet 1, 150 bytes: [H c0@0+150 x2]\n");
    CHECK(small.shared_frames == "packet 1, 150 bytes: [H 0/100] -> [c0@0+150 x2]\n");
    CHECK(large.shared == "packet 1, 5120 bytes: [H c0@0+2048 x2] -> [c1@0+2048 x2] -> [c2@0+1024 x2]\n");
    CHECK(large.shared_frames == "packet 1, 1472 bytes: [H 0/100] -> [c0@0+1472 x3]\n"
                                 "packet 2, 1480 bytes: [H 0/100] -> [c0@1472+576 x3] -> [c1@0+904 x3]\n"
                                 "packet 3, 1480 bytes: [H 0/100] -> [c1@904+1144 x3] -> [c2@0+336 x3]\n"
                                 "packet 4, 688 bytes: [H 0/100] -> [c2@336+688 x3]\n");
}

TEST_CASE("mbufs: who breaks a rule of shared clusters sends something else; a copy does not care") {
    const auto all = violations();
    REQUIRE(all.size() == 2);
    for (const Violation& v : all)
        for (const Delivery& d : v.messages) CHECK(d.copied == d.meant);
    REQUIRE(all[0].messages.size() == 2); // reused at once
    CHECK(all[0].messages[0].meant == "A x 1400");
    CHECK(all[0].messages[0].shared == "B x 1400");
    CHECK(all[0].messages[1].shared == "B x 1400");
    REQUIRE(all[1].messages.size() == 3); // not in units of 2 KiB
    CHECK(all[1].messages[0].shared == "A x 1400"); // the first begins where a cluster does
    CHECK(all[1].messages[1].shared == "B x 752, C x 648");
    CHECK(all[1].messages[2].shared == "C x 104, 0 x 1296");
}
