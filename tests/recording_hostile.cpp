// SPDX-License-Identifier: MIT
// Damaged and hostile recordings: each is refused in a sentence, none crashes, none is read as something else.
#include "sim/recording/recording.hpp"
#include "sim/recording/columns.hpp"
#include "sim/recording/payload.hpp"
#include "tests/recording_events.hpp"
#include <algorithm>
#include <doctest/doctest.h>
#include <filesystem>
#include <sys/stat.h>

using namespace pipescope;
using namespace pipescope::test;

namespace {

// A small file with two chunks of events and two of strings, and what it holds.
struct Small {
    Small() {
        std::string error;
        TempFile file;
        TraceMeta meta;
        meta.title = "small";
        auto w = RecordingWriter::create(file.path(), meta, error);
        strings.intern("one");
        events = arbitrary(24, 11);
        for (std::size_t i = 1; i < events.size(); ++i) // the second half is two seconds later: a chunk of its own
            events[i].t_ns = events[i - 1].t_ns + (i == 12 ? 0 : i == 11 || i == 23 ? 2'000'000'000 : 10);
        w->append(std::span(events).first(12), strings);
        strings.intern("two");
        w->append(std::span(events).subspan(12), strings);
        REQUIRE(w->finish(error));
        bytes = file.contents();
    }
    std::vector<Event> events;
    StringTable strings;
    std::string bytes;
};

// Every event is one of the original in the original order, or says that some were lost.
bool part_of(const std::vector<Event>& got, const std::vector<Event>& original) {
    auto at = original.begin();
    for (const Event& e : got) {
        const auto it = std::find(at, original.end(), e);
        if (it != original.end()) at = it + 1;
        else if (e.kind != EventKind::lost) return false;
    }
    return true;
}

bool one_sentence_about(const std::string& error, const std::string& path) {
    return error.starts_with(path + ": ") && error.size() > path.size() + 5 && error.find('\n') == std::string::npos;
}

// A file put together by hand, with true checksums.
class Forged {
public:
    explicit Forged(std::string_view tables = rec::own_tables()) : bytes_(rec::file_header(rec::fingerprint(tables))) {
        chunk(rec::tag_tables, tables, 4);
    }
    Forged& meta(const TraceMeta& m = {}) {
        std::string raw;
        const auto n = rec::put_meta(raw, m);
        return chunk(rec::tag_meta, raw, n);
    }
    Forged& chunk(
        std::uint32_t type, std::string_view raw, std::uint32_t count, std::uint64_t first = 0, std::uint64_t t0 = 0, std::uint64_t t1 = 0) {
        rec::ChunkHeader h;
        h.type = type, h.count = count, h.first = first, h.t_first = t0, h.t_last = t1;
        const std::size_t at = bytes_.size();
        rec::put_chunk(bytes_, h, raw);
        entries_.push_back({type, count, at, h.length(), first, t0, t1});
        if (type == rec::tag_events) events_ = first + count, t_end_ = t1;
        return *this;
    }
    std::string end() {
        std::string raw, out = bytes_;
        rec::put_index(raw, entries_);
        rec::ChunkHeader h;
        h.type = rec::tag_index, h.count = static_cast<std::uint32_t>(entries_.size()), h.first = events_, h.t_last = t_end_;
        for (const auto& e : entries_)
            if (e.type == rec::tag_events) {
                h.t_first = e.t_first;
                break;
            }
        rec::put_chunk(out, h, raw);
        return out + rec::trailer(bytes_.size());
    }

private:
    std::string bytes_;
    std::vector<rec::IndexEntry> entries_;
    std::uint64_t events_ = 0, t_end_ = 0;
};

std::string refusal(std::string_view bytes) {
    TempFile file;
    file.write(bytes);
    std::string error;
    const auto t = recording_read(file.path(), error);
    if (t) return "";
    CHECK(one_sentence_about(error, file.path()));
    std::string ignored;
    recording_read(file.path(), ignored, true); // whatever salvage makes of it, it comes back
    return error.substr(std::min(error.size(), file.path().size() + 2));
}

std::string columns_of(std::vector<Event> events) {
    std::string raw;
    rec::put_events(raw, events);
    return raw;
}

} // namespace

TEST_CASE("recording: cut anywhere") {
    const Small small;
    TempFile file;
    std::size_t most = 0;
    for (std::size_t n = 0; n < small.bytes.size(); ++n) {
        CAPTURE(n);
        file.write(std::string_view(small.bytes).substr(0, n));
        std::string error;
        CHECK_FALSE(recording_read(file.path(), error));
        REQUIRE(one_sentence_about(error, file.path()));
        ReadReport report;
        if (const auto t = recording_read(file.path(), error, true, &report)) {
            REQUIRE(t->events.size() <= small.events.size());
            REQUIRE(t->events.size() >= most); // more bytes never give less
            most = t->events.size();
            REQUIRE(std::equal(t->events.begin(), t->events.end(), small.events.begin()));
            REQUIRE_FALSE(report.footer_ok);
        }
    }
    CHECK(most == small.events.size());
}

TEST_CASE("recording: any byte changed") {
    const Small small;
    TempFile file;
    for (std::size_t n = 0; n < small.bytes.size(); ++n)
        for (const int flip : {0x01, 0x80, 0xff}) {
            CAPTURE(n);
            CAPTURE(flip);
            std::string bytes = small.bytes;
            bytes[n] = static_cast<char>(bytes[n] ^ flip);
            file.write(bytes);
            std::string error;
            REQUIRE_FALSE(recording_read(file.path(), error)); // no byte is without meaning
            REQUIRE(one_sentence_about(error, file.path()));
            if (const auto t = recording_read(file.path(), error, true)) REQUIRE(part_of(t->events, small.events));
            else REQUIRE(one_sentence_about(error, file.path()));
        }
}

TEST_CASE("recording: bytes taken out or put in") {
    const Small small;
    TempFile file;
    std::mt19937 random(2);
    for (int i = 0; i < 2000; ++i) {
        std::string bytes = small.bytes;
        const std::size_t at = random() % bytes.size(), n = 1 + random() % 80;
        if (i % 2) bytes.erase(at, n);
        else bytes.insert(at, bytes.substr(random() % bytes.size(), n));
        file.write(bytes);
        std::string error;
        REQUIRE_FALSE(recording_read(file.path(), error));
        if (const auto t = recording_read(file.path(), error, true)) REQUIRE(part_of(t->events, small.events));
    }
}

TEST_CASE("recording: salvage steps over a bad chunk and says how many events are missing") {
    Forged f;
    const std::vector<Event> events = arbitrary(30, 4);
    const auto part = [&](std::size_t from) {
        const std::vector<Event> some(events.begin() + static_cast<std::ptrdiff_t>(from), events.begin() + static_cast<std::ptrdiff_t>(from) + 10);
        f.chunk(rec::tag_events, columns_of(some), 10, from, some.front().t_ns, some.back().t_ns);
    };
    f.meta();
    part(0);
    const std::size_t damage = f.end().find("INDX") - 4; // where the next chunk will begin
    part(10), part(20);
    std::string bytes = f.end();
    TempFile file;
    for (const std::size_t at : {damage + 4, damage + 60}) { // its header; what follows it
        std::string bad = bytes;
        bad[at] = static_cast<char>(bad[at] ^ 1);
        file.write(bad);
        std::string error;
        ReadReport report;
        CHECK_FALSE(recording_read(file.path(), error));
        const auto t = recording_read(file.path(), error, true, &report);
        REQUIRE_MESSAGE(t, error);
        REQUIRE(t->events.size() == 21);
        CHECK(t->events[9] == events[9]);
        CHECK(t->events[10].kind == EventKind::lost);
        CHECK(t->events[10].x == 10);
        CHECK(t->events[20] == events[29]);
        CHECK(report.footer_ok);
        CHECK(report.bad_chunks == 1);
        CHECK(report.lost_events == 10);
    }
}

TEST_CASE("recording: files that are none") {
    std::string error;
    for (const char* path : {"/no/such/file.psc", "/", "/dev/null", "/proc/self/exe", "/etc/passwd"}) {
        CAPTURE(path);
        for (const bool salvage : {false, true}) {
            CHECK_FALSE(recording_read(path, error, salvage));
            CHECK(one_sentence_about(error, path));
        }
        CHECK_FALSE(recording_is(path));
    }
    TempFile file;
    CHECK(refusal("") == "is empty");
    CHECK(refusal("\x89PNG\r\n\x1a\n0000") == "is not a pipescope recording");
    CHECK(refusal(rec::file_magic) == "is cut off after 8 bytes, inside its header");
    std::string newer = Forged().meta().end();
    newer[8] = 2;
    CHECK(refusal(newer) == "was written by a newer pipescope (format 2, this one reads up to 1)");
    // A FIFO without a writer must not hang the reader.
    std::filesystem::remove(file.path());
    REQUIRE(::mkfifo(file.path().c_str(), 0600) == 0);
    CHECK_FALSE(recording_read(file.path(), error));
    CHECK(error == file.path() + ": is not a regular file");
}

TEST_CASE("recording: true checksums over false contents") {
    Event e;
    e.kind = EventKind::note;
    const std::string one = columns_of({e});
    CHECK(refusal(Forged().meta().chunk(rec::tag_events, one, 1).end()) == "");
    CHECK(refusal(Forged().end()) == "says nothing about the run it recorded");
    CHECK(refusal(Forged().meta().meta().end()).ends_with("comes twice"));
    CHECK(refusal(Forged().meta().chunk(rec::tag("WHAT"), "anything", 3).chunk(rec::tag_events, one, 1).end()) == "");
    CHECK(refusal(Forged().meta().chunk(rec::tag_events, one, 2).end()).ends_with("its columns are not well formed"));
    CHECK(refusal(Forged().meta().chunk(rec::tag_events, one, 1, 5).end()).ends_with("its events begin at number 5, expected 0"));
    CHECK(refusal(Forged().meta().chunk(rec::tag_events, one, 1, ~std::uint64_t{0}).end()).find("its events begin at number") != std::string::npos);
    CHECK(refusal(Forged().meta().chunk(rec::tag_events, one, 1, 0, 10, 20).end()).ends_with("its times do not fit its header"));
    CHECK(refusal(Forged().meta().chunk(rec::tag_events, one, 1, 0, 9, 9).chunk(rec::tag_events, one, 1, 1, 8, 8).end()).find("index at byte") == 0);
    CHECK(refusal(Forged().meta().chunk(rec::tag_events, "", 0).end()).ends_with("it holds no events"));
    e.kind = static_cast<EventKind>(99);
    CHECK(refusal(Forged().meta().chunk(rec::tag_events, columns_of({e}), 1).end()).ends_with("event kind 99 is not known"));
    e.kind = EventKind::stage;
    e.stage = static_cast<Stage>(9999);
    CHECK(refusal(Forged().meta().chunk(rec::tag_events, columns_of({e}), 1).end()).ends_with("stage 9999 is not known"));

    const std::string abc{"\1a\1b\1c", 6}, twice{"\1a\1a", 4}, overlong{"\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 10};
    CHECK(refusal(Forged().meta().chunk(rec::tag_strings, abc, 3, 1).end()) == "");
    CHECK(refusal(Forged().meta().chunk(rec::tag_strings, abc, 4, 1).end()).ends_with("as many strings as it says"));
    CHECK(refusal(Forged().meta().chunk(rec::tag_strings, abc, 3, 2).end()).ends_with("its strings begin at number 2, expected 1"));
    CHECK(refusal(Forged().meta().chunk(rec::tag_strings, twice, 2, 1).end()).ends_with("string 2 occurs twice"));
    CHECK(refusal(Forged().meta().chunk(rec::tag_strings, overlong, 1, 1).end()).ends_with("as many strings as it says"));
    CHECK(refusal(Forged().chunk(rec::tag_meta, {"\x09page_size\x02zz", 13}, 1).end()).ends_with("its page_size is not a number"));
    CHECK(refusal(Forged()
                      .chunk(rec::tag_meta,
                          {"\x09page_size\x01"
                           "3",
                              12},
                          1)
                      .end())
              .ends_with("3 bytes are no page"));
    CHECK(refusal(Forged("nonsense").meta().end()).ends_with("a table of names is too long"));
    CHECK(refusal(Forged({"\1\2a\n\0\0\0", 7}).meta().end()).ends_with("a name in its tables is no name"));
    CHECK(refusal(Forged({"\0\0\0", 3}).meta().end()).ends_with("its tables of names are not well formed"));
}

TEST_CASE("recording: another program's numbers are translated by name") {
    std::string tables;
    const auto table = [&](std::initializer_list<const char*> names) {
        rec::put_varint(tables, names.size());
        for (const char* n : names) rec::put_string(tables, n);
    };
    table({"none", "stage", "sys_enter", "vanished", "note"});
    table({"none", "w_copy", "w_nowhere"});
    table({"", "splice", "write"});
    table({"", "anon_pipe_write"});
    const auto event = [](int kind, int stage, std::uint32_t a) {
        Event e;
        e.kind = static_cast<EventKind>(kind), e.stage = static_cast<Stage>(stage), e.a = a;
        return e;
    };
    // Predictions for stages are by stage: the file's number of the kind "stage" has to be found for that.
    Event first = event(1, 1, 7), second = event(1, 1, 8);
    std::string raw, ours = columns_of({[&] {
                                            Event e = first;
                                            e.kind = EventKind::stage;
                                            return e;
                                        }(),
                         [&] {
                             Event e = second;
                             e.kind = EventKind::stage;
                             return e;
                         }()});
    // The kind column comes first: its length, then a byte an event.
    ours[1] = 1, ours[2] = 1;
    TempFile file;
    file.write(Forged(tables).meta().chunk(rec::tag_events, ours, 2).end());
    std::string error;
    auto t = recording_read(file.path(), error);
    REQUIRE_MESSAGE(t, error);
    REQUIRE(t->events.size() == 2);
    CHECK(t->events[0].kind == EventKind::stage);
    CHECK(t->events[1].stage == Stage::w_copy);
    CHECK(t->events[1].a == 8);

    const auto get = [&](Event e) {
        const EventKind kind = e.kind;
        e.kind = EventKind::note;
        std::string one = columns_of({e});
        one[1] = static_cast<char>(kind);
        file.write(Forged(tables).meta().chunk(rec::tag_events, one, 1).end());
        t = recording_read(file.path(), error);
        return t ? std::string() : error;
    };
    CHECK(get(event(2, 0, 2)) == "");
    CHECK(t->events[0].kind == EventKind::sys_enter);
    CHECK(t->events[0].a == static_cast<std::uint32_t>(Sys::write));
    CHECK(get(event(2, 0, 3)).ends_with("system call 3 is not known"));
    CHECK(get(event(3, 0, 0)).ends_with("event kind \"vanished\" is not known"));
    CHECK(get(event(4, 2, 0)).ends_with("stage \"w_nowhere\" is not known"));
    CHECK(get(event(0, 0, 0)).ends_with("event kind \"none\" is not known"));
}

TEST_CASE("recording: a small file cannot ask for much memory") {
    // The headers are true to their checksums, but claim the most that fits the field.
    std::string raw;
    const std::string big(16 << 20, '\0');
    std::string bytes = Forged().meta().chunk(rec::tag_events, big, 1).end();
    CHECK(bytes.size() > (16u << 20) / rec::max_raw_ratio); // a writer has to pay for what it expands to
    CHECK(refusal(bytes) != "");
    std::string fault;
    rec::ChunkHeader h;
    h.type = rec::tag_events, h.count = 1;
    std::string chunk;
    REQUIRE(rec::put_chunk(chunk, h, "some bytes that are compressed"));
    REQUIRE(rec::parse_chunk_header(rec::as_bytes(chunk), fault));
    for (const std::size_t field : {8u, 12u, 16u}) {
        std::string forged = chunk.substr(0, rec::chunk_header_size - 4);
        forged.replace(field, 4, "\xff\xff\xff\x7f");
        rec::put_u32(forged, static_cast<std::uint32_t>(rec::checksum(rec::as_bytes(forged))));
        fault.clear();
        const auto parsed = rec::parse_chunk_header(rec::as_bytes(forged), fault);
        CHECK(parsed.has_value() == (field == 8)); // stored bytes are compared with the file before they are allocated
    }
    // A file of nothing but sync bytes keeps salvage busy for a moment only.
    std::string syncs = rec::file_header(rec::own_fingerprint());
    for (int i = 0; i < 100'000; ++i) syncs += rec::chunk_sync;
    CHECK(refusal(syncs) != "");
}
