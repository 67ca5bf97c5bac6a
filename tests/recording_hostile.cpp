// SPDX-License-Identifier: MIT
// Damaged and hostile recordings: each is refused in a sentence, none crashes, none is read as something else.
#include "sim/recording/recording.hpp"
#include "tests/recording_forged.hpp"
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

} // namespace

TEST_CASE("recording: cut anywhere") {
    const Small small;
    TempFile file;
    std::size_t most = 0, opened = 0;
    for (std::size_t n = 0; n < small.bytes.size(); ++n) {
        CAPTURE(n);
        file.write(std::string_view(small.bytes).substr(0, n));
        std::string error;
        ReadReport report;
        const auto plain = recording_read(file.path(), error);
        if (!plain) REQUIRE(one_sentence_about(error, file.path()));
        REQUIRE((plain.has_value() || opened == 0)); // a longer beginning opens too
        opened += plain.has_value();
        const auto saved = recording_read(file.path(), error, true, &report);
        if (plain) {
            REQUIRE(plain->meta.cut);
            REQUIRE(saved);
            REQUIRE((plain->events == saved->events));
            REQUIRE(plain->strings.all() == saved->strings.all());
        }
        if (saved) {
            REQUIRE(saved->events.size() <= small.events.size());
            REQUIRE(saved->events.size() >= most); // more bytes never give less
            most = saved->events.size();
            REQUIRE(std::equal(saved->events.begin(), saved->events.end(), small.events.begin()));
            REQUIRE_FALSE(report.footer_ok);
        }
    }
    CHECK(opened > small.bytes.size() / 4);
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
            REQUIRE_FALSE(recording_read(file.path(), error)); // no byte is without meaning, and none makes a cut of a damage
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
        const auto plain = recording_read(file.path(), error); // only what took the end away is no damage
        REQUIRE((!plain || (plain->meta.cut && i % 2 && at + n + rec::trailer_size > small.bytes.size())));
        if (plain) REQUIRE(std::equal(plain->events.begin(), plain->events.end(), small.events.begin()));
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
