// SPDX-License-Identifier: MIT
// The view of mbufs as data: which chain is where, which rule is broken and which is not, and a layout that keeps to its area.
#include "app/document.hpp"
#include "app/mbuf_picture.hpp"
#include <algorithm>
#include <doctest/doctest.h>

using namespace pipescope;

namespace {

constexpr const char* files[] = {"1_copied", "2_shared", "3_reused", "4_not_in_units"};

std::unique_ptr<Document> scenario(const std::string& name) {
    std::string error;
    auto d = Document::open(PIPESCOPE_SOURCE_DIR "/assets/scenarios/mbuf/" + name + ".lua", KernelVersion{}, error);
    REQUIRE_MESSAGE(d, error);
    d->ensure(100'000);
    REQUIRE(d->fault() == "");
    return d;
}

std::vector<MbufFault> faults_at(Document& d, std::size_t n) {
    const State& s = d.timeline().seek(n);
    return mbuf_faults(s, d.timeline(), n, focus_at(s, d.timeline(), n));
}

// The position behind the last event that `is` says yes to, from the front on; REQUIREs that there is one.
template <class F> std::size_t behind_last(Document& d, F is) {
    std::size_t at = 0;
    for (std::size_t i = 0; i < d.timeline().size(); ++i)
        if (is(d.timeline()[i])) at = i + 1;
    REQUIRE(at);
    return at;
}

bool apart(const Rect& a, const Rect& b) {
    return a.right() <= b.x + 0.01f || b.right() <= a.x + 0.01f || a.bottom() <= b.y + 0.01f || b.bottom() <= a.y + 0.01f;
}
bool inside(const Rect& r, const Rect& in) {
    return r.x >= in.x - 0.01f && r.y >= in.y - 0.01f && r.right() <= in.right() + 0.01f && r.bottom() <= in.bottom() + 0.01f;
}

} // namespace

TEST_CASE("mbufs: a packet is made, queued, fetched and gone") {
    const auto d = scenario("1_copied");
    std::vector<ChainPlace> seen;
    for (std::size_t n = 0; n <= d->timeline().size(); ++n) {
        const std::vector<MbufChain> chains = mbuf_chains(d->timeline().seek(n));
        REQUIRE(chains.size() <= 2); // the header's mbuf is a chain by itself for a moment
        if (chains.size() != 1) continue;
        if (seen.empty() || seen.back() != chains[0].place) seen.push_back(chains[0].place);
    }
    CHECK(seen == std::vector<ChainPlace>{ChainPlace::making, ChainPlace::queued, ChainPlace::fetched});
    CHECK(mbuf_chains(d->timeline().seek(d->timeline().size())).empty());
}

TEST_CASE("mbufs: three frames stand in the order in which they will go out") {
    const auto d = scenario("2_shared");
    std::size_t queued = 0;
    const std::size_t at = behind_last(*d, [&](const Event& e) { return e.kind == EventKind::if_queue && ++queued; });
    CHECK(queued == 4);
    const State& s = d->timeline().seek(at);
    const std::vector<MbufChain> chains = mbuf_chains(s);
    REQUIRE(chains.size() == 3);
    CHECK(chains[0].bytes == 1472);
    CHECK(chains[1].bytes == 1480);
    CHECK(chains[2].bytes == 1144);
    CHECK(chains[1].mbufs.size() == 3);
    for (const MbufChain& c : chains) CHECK(c.place == ChainPlace::queued);

    const MbufPicture p = mbuf_layout(s, {}, {0, 0, 800, 600}, 1, 0);
    const ClusterBox* c0 = p.cluster(0);
    REQUIRE(c0);
    REQUIRE(c0->parts.size() == 2); // of the first frame and of the second
    CHECK(c0->parts[0].r.x == doctest::Approx(c0->bar.x));
    CHECK(c0->parts[0].r.w == doctest::Approx(c0->bar.w * 1472 / 2048));
    CHECK(c0->parts[1].r.x == doctest::Approx(c0->bar.x + c0->bar.w * 1472 / 2048));
    CHECK(c0->parts[1].r.right() == doctest::Approx(c0->bar.right()));
}

TEST_CASE("mbufs: the 128 bytes of an mbuf, to scale") {
    const auto d = scenario("2_shared");
    const std::size_t at = behind_last(*d, [](const Event& e) { return e.kind == EventKind::if_queue; });
    const State& s = d->timeline().seek(at);
    const MbufPicture p = mbuf_layout(s, {}, {0, 0, 800, 600}, 1, 0);
    const MbufBox &header = p.rows.at(0).boxes.at(0), &data = p.rows.at(0).boxes.at(1);
    const float whole = header.data.right() - header.hdr.x;
    CHECK(header.hdr.w == doctest::Approx(whole * 20 / 128));
    CHECK(header.pkthdr.w == doctest::Approx(whole * 8 / 128));
    CHECK(header.data.w == doctest::Approx(whole * 100 / 128));
    CHECK(data.pkthdr.w == 0);
    CHECK(data.data.w == doctest::Approx(whole * 108 / 128));
    CHECK(data.filled.w == 0); // its bytes are in the cluster
}

TEST_CASE("mbufs: no fault is seen where none is, one where a rule is broken") {
    for (const char* good : {"1_copied", "2_shared"}) {
        const auto d = scenario(good);
        for (std::size_t n = 0; n <= d->timeline().size(); ++n) REQUIRE(faults_at(*d, n).empty());
        for (const SentFrame& f : d->timeline().state().mbufs.fetched) CHECK(!f.overwritten);
    }
    const auto reused = scenario("3_reused");
    std::size_t most = 0;
    for (std::size_t n = 0; n <= reused->timeline().size(); ++n)
        for (const MbufFault& f : faults_at(*reused, n)) {
            ++most;
            REQUIRE(f.cluster == 0);
            REQUIRE(mbuf_overwritten(reused->timeline().seek(n), f.mbuf));
        }
    CHECK(most > 10);
    const auto& sent = reused->timeline().seek(reused->timeline().size()).mbufs.fetched;
    REQUIRE(sent.size() == 4);
    CHECK(sent[0].overwritten);
    for (std::size_t i = 1; i < 4; ++i) CHECK(!sent[i].overwritten); // the patient program's among them
}

TEST_CASE("mbufs: a message that is not in a unit is cut, refused or copied, and says so") {
    const auto d = scenario("4_not_in_units");
    std::vector<std::string> words;
    std::size_t units = d->timeline().size(); // from here on the second task lays them out in units
    for (std::size_t i = 0; i < d->timeline().size(); ++i)
        if (d->timeline()[i].kind == EventKind::user_line && d->strings()[d->timeline().seek(i).tasks[d->timeline()[i].task].name] == "units") {
            units = i;
            break;
        }
    REQUIRE(units < d->timeline().size());
    for (std::size_t n = 0; n <= d->timeline().size(); ++n)
        for (const MbufFault& f : faults_at(*d, n)) {
            REQUIRE(n <= units);
            if (words.empty() || words.back() != f.words) words.push_back(f.words);
        }
    REQUIRE(words.size() == 4);
    CHECK(words[0].find("begins in the middle of B") != std::string::npos);
    CHECK(words[1].find("begins in the middle of C") != std::string::npos);
    CHECK(words[2] == "starts at byte 1 400: EINVAL");
    CHECK(words[3] == "starts at byte 1 400: copied");
}

TEST_CASE("mbufs: runs of bytes") {
    const std::vector<std::uint8_t> bytes = {65, 65, 66, 0, 0, 0};
    const std::vector<ByteRun> runs = byte_runs(bytes);
    REQUIRE(runs.size() == 3);
    CHECK(runs[0].to == 2);
    CHECK(byte_text(runs[0]) == "A");
    CHECK(runs[2].from == 3);
    CHECK(runs[2].to == 6);
    CHECK(byte_text(runs[2]) == "0");
    const std::vector<ByteRun> mixed = byte_runs(bytes, 2);
    REQUIRE(mixed.size() == 1);
    CHECK(mixed[0].mixed);
    CHECK(mixed[0].to == 6);
    CHECK(byte_runs({}).empty());
}

TEST_CASE("mbufs: a forged recording whose chains are circles is drawn too") {
    State s;
    const auto put = [&](EventKind kind, std::uint32_t a, std::uint32_t b = 0, std::uint32_t c = 0) {
        Event e;
        e.kind = kind, e.a = a, e.b = b, e.c = c;
        REQUIRE(apply(s, e));
    };
    for (MbufId m = 0; m < 3; ++m) put(EventKind::m_get, m);
    put(EventKind::m_link, 0, 1), put(EventKind::m_link, 1, 0), put(EventKind::m_link, 2, 0);
    put(EventKind::if_queue, 0);
    put(EventKind::m_link, 0, 1, 1), put(EventKind::m_link, 1, 0, 1);
    CHECK(mbuf_chains(s).size() <= 6);
    const MbufPicture p = mbuf_layout(s, {}, {0, 0, 800, 600}, 1, 0);
    for (const MbufRow& row : p.rows) CHECK(row.chain.mbufs.size() <= 3);
}

TEST_CASE("mbufs: all that is laid out keeps to its area and apart, at every step and size") {
    for (const char* name : files) {
        const auto d = scenario(name);
        CAPTURE(name);
        for (std::size_t n = 0; n <= d->timeline().size(); n += 3) {
            const State& s = d->timeline().seek(n);
            const std::vector<MbufFault> faults = mbuf_faults(s, d->timeline(), n, focus_at(s, d->timeline(), n));
            for (const auto& [w, h, scale] : {std::tuple{815.f, 620.f, 1.f}, {645.f, 480.f, 1.f}, {1225.f, 520.f, 1.5f}, {355.f, 160.f, 1.f}, {200.f, 60.f, 1.f}})
                for (const float memory : {0.f, 46 * scale}) {
                    const Rect area{10, 20, w, h};
                    const MbufPicture p = mbuf_layout(s, faults, area, scale, memory);
                    std::vector<Rect> all;
                    std::size_t rows = 0;
                    for (const MbufRow& row : p.rows) {
                        REQUIRE(row.boxes.size() + row.hidden == row.chain.mbufs.size());
                        all.push_back(row.caption);
                        for (const MbufBox& b : row.boxes) {
                            all.push_back(b.r);
                            for (const Rect& in : {b.hdr, b.data, b.filled}) REQUIRE(inside(in, b.r));
                        }
                        ++rows;
                    }
                    REQUIRE((p.rows.empty() || rows + p.hidden_rows <= mbuf_chains(s).size()));
                    std::size_t clusters = p.free_hidden + p.used_hidden;
                    for (const ClusterBox& c : p.clusters) {
                        all.push_back(c.r);
                        for (const ClusterPart& part : c.parts) REQUIRE(inside(part.r, c.r));
                        ++clusters;
                    }
                    REQUIRE(clusters == s.mbufs.clusters.size());
                    if (memory > 0 && h > 100) all.push_back(p.memory);
                    for (std::size_t i = 0; i < all.size(); ++i) {
                        REQUIRE(inside(all[i], area));
                        for (std::size_t k = 0; k < i; ++k) REQUIRE(apart(all[i], all[k]));
                    }
                }
        }
    }
}

TEST_CASE("mbufs: of many that point at a cluster those that are drawn have their part") {
    State s;
    const auto put = [&](EventKind kind, std::uint32_t a, std::uint32_t b = 0, std::uint32_t c = 0, std::uint64_t x = 0) {
        Event e;
        e.kind = kind, e.a = a, e.b = b, e.c = c, e.x = x;
        REQUIRE(apply(s, e));
    };
    put(EventKind::mcl_new, zero_page), put(EventKind::mcl_take, 0);
    for (MbufId m = 0; m < 20; ++m) put(EventKind::m_get, m), put(EventKind::m_ext, m, 0, 100 * m, 100);
    for (MbufId m = 20; m-- > 0;) put(EventKind::if_queue, m); // the last one taken goes first
    const MbufPicture p = mbuf_layout(s, {}, {0, 0, 800, 300}, 1, 0);
    REQUIRE(p.rows.size() >= 2);
    REQUIRE(p.rows.size() <= 4);
    CHECK(p.rows.size() + p.hidden_rows == 20);
    REQUIRE(p.cluster(0));
    for (const MbufRow& row : p.rows) {
        const auto& parts = p.cluster(0)->parts;
        CHECK(std::any_of(parts.begin(), parts.end(), [&](const ClusterPart& c) { return c.mbuf == row.boxes[0].id; }));
    }
}
