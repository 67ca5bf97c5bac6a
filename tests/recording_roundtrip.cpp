// SPDX-License-Identifier: MIT
// What is written is read: whole, in parts, grown in steps, cut by the death of its writer or by a full disk.
#include "sim/recording/recording.hpp"
#include "tests/recording_events.hpp"
#include <chrono>
#include <csignal>
#include <doctest/doctest.h>
#include <filesystem>
#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace pipescope;
using namespace pipescope::test;

namespace {

Trace trace_of(std::vector<Event> events, StringTable strings = {}) {
    Trace t;
    t.meta.title = "a title";
    t.meta.source = std::string("local p = pipe()\n\0end", 21);
    t.meta.kernel = "6.18.0";
    t.meta.capture = "model";
    t.meta.command = "cat | wc";
    t.meta.start_unix_ns = 1'700'000'000'123'456'789;
    t.strings = std::move(strings);
    t.events = std::move(events);
    return t;
}

void same(const Trace& a, const Trace& b) {
    CHECK(a.meta.title == b.meta.title);
    CHECK(a.meta.source == b.meta.source);
    CHECK(a.meta.kernel == b.meta.kernel);
    CHECK(a.meta.capture == b.meta.capture);
    CHECK(a.meta.command == b.meta.command);
    CHECK(a.meta.page_size == b.meta.page_size);
    CHECK(a.meta.start_unix_ns == b.meta.start_unix_ns);
    CHECK(a.strings.all() == b.strings.all());
    CHECK((a.events == b.events));
}

double seconds_since(std::chrono::steady_clock::time_point t) { return std::chrono::duration<double>(std::chrono::steady_clock::now() - t).count(); }

} // namespace

TEST_CASE("recording: what is written is read") {
    for (const std::size_t n : {0, 1, 2, 1000, 16384, 16385, 50000}) {
        CAPTURE(n);
        TempFile file;
        StringTable strings;
        for (std::size_t i = 0; i < n % 1000; ++i) strings.intern(fmt::format("string {}", i * i));
        const Trace t = trace_of(arbitrary(n, n), strings);
        std::string error;
        REQUIRE(recording_write(file.path(), t, error));
        CHECK(recording_is(file.path()));
        CHECK_FALSE(std::filesystem::exists(file.path() + ".tmp"));
        for (const bool salvage : {false, true}) {
            ReadReport report;
            const auto r = recording_read(file.path(), error, salvage, &report);
            REQUIRE_MESSAGE(r, error);
            same(t, *r);
            CHECK(report.footer_ok);
            CHECK(report.bad_chunks == 0);
            CHECK(report.bytes == std::filesystem::file_size(file.path()));
        }
    }
}

TEST_CASE("recording: many strings and long ones") {
    TempFile file;
    StringTable strings;
    strings.intern(std::string(1 << 20, 'x'));
    for (int i = 0; i < 70000; ++i) strings.intern(fmt::format("{}", i));
    strings.intern(std::string("\0\xff\n", 3));
    const Trace t = trace_of(arbitrary(10), strings);
    std::string error;
    REQUIRE(recording_write(file.path(), t, error));
    const auto r = recording_read(file.path(), error);
    REQUIRE_MESSAGE(r, error);
    same(t, *r);
    strings.intern(std::string((1 << 20) + 1, 'y'));
    CHECK_FALSE(recording_write(file.path(), trace_of({}, strings), error));
    CHECK(error.find("too long") != std::string::npos);
    CHECK(recording_read(file.path(), error)); // the file that was there is still there
}

TEST_CASE("recording: grown in steps, opened in the middle") {
    TempFile file;
    const std::vector<Event> events = arbitrary(40000, 7);
    StringTable strings;
    std::string error;
    auto w = RecordingWriter::create(file.path(), {}, error);
    REQUIRE(w);
    std::mt19937 random(1);
    for (std::size_t i = 0; i < events.size();) {
        const std::size_t n = std::min<std::size_t>(random() % 3000, events.size() - i);
        strings.intern(fmt::format("after {}", i));
        REQUIRE(w->append(std::span(events).subspan(i, n), strings));
        i += n;
    }
    REQUIRE(w->finish(error));
    CHECK(w->finish(error)); // again changes nothing
    CHECK(w->bytes_written() == std::filesystem::file_size(file.path()));

    const auto r = RecordingReader::open(file.path(), error);
    REQUIRE_MESSAGE(r, error);
    CHECK(r->events() == events.size());
    CHECK(r->strings().all() == strings.all());
    REQUIRE(r->parts().size() > 2);
    for (std::size_t part = r->parts().size(); part-- > 0;) { // any order will do
        const auto& p = r->parts()[part];
        std::vector<Event> got(1);
        REQUIRE_MESSAGE(r->read(part, got, error), error);
        REQUIRE(got.size() == 1 + p.count);
        CHECK(p.t_first == got[1].t_ns);
        CHECK(p.t_last == got.back().t_ns);
        CHECK(std::equal(got.begin() + 1, got.end(), events.begin() + static_cast<std::ptrdiff_t>(p.first)));
    }
    std::vector<Event> none;
    CHECK_FALSE(r->read(r->parts().size(), none, error));
}

TEST_CASE("recording: a quiet one is written at least every second") {
    TempFile file;
    std::string error;
    auto w = RecordingWriter::create(file.path(), {}, error);
    REQUIRE(w);
    Event e;
    e.kind = EventKind::note;
    const StringTable strings;
    for (int i = 0; i <= 35; ++i) {
        e.t_ns = static_cast<std::uint64_t>(i) * 100'000'000;
        REQUIRE(w->append({&e, 1}, strings));
    }
    const auto r = recording_read(file.path(), error); // nobody finished it
    REQUIRE(r);
    CHECK(r->events.size() == 33);
}

TEST_CASE("recording: the writer is killed") {
    TempFile file;
    StringTable strings;
    const std::vector<Event> events = written_by_model(60000, strings);
    const pid_t child = ::fork();
    REQUIRE(child >= 0);
    if (child == 0) {
        std::string error;
        auto w = RecordingWriter::create(file.path(), {}, error);
        strings.intern("written before");
        if (w) w->append(events, strings);
        ::raise(SIGKILL);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    CHECK(WIFSIGNALED(status));
    std::string error;
    ReadReport report;
    const auto r = recording_read(file.path(), error, false, &report);
    REQUIRE_MESSAGE(r, error);
    CHECK(r->meta.cut);
    CHECK_FALSE(report.footer_ok);
    CHECK(report.bad_chunks == 0);
    CHECK(r->events.size() == 3 * 16384);
    CHECK(std::equal(r->events.begin(), r->events.end(), events.begin()));
    CHECK(r->strings.all().back() == "written before");
}

TEST_CASE("recording: the disk is full") {
    const std::vector<Event> events = arbitrary(30000, 5);
    std::string error;
    CHECK_FALSE(RecordingWriter::create("/dev/full", {}, error));
    CHECK(error == "/dev/full: cannot be written: No space left on device");
    CHECK_FALSE(recording_write("/dev/full", trace_of(events), error));
    CHECK(error == "/dev/full: cannot be written: No space left on device");

    // A limit on the size of files stands in for a disk that fills up midway.
    TempFile file;
    const pid_t child = ::fork();
    REQUIRE(child >= 0);
    if (child == 0) {
        ::signal(SIGXFSZ, SIG_IGN);
        const rlimit limit{400'000, 400'000};
        ::setrlimit(RLIMIT_FSIZE, &limit);
        auto w = RecordingWriter::create(file.path(), {}, error);
        bool ok = w != nullptr && !w->append(events, {}); // fails when the first chunk is too large
        ok = ok && !w->append(std::span(events).first(1), {}) && !w->finish(error) && error == file.path() + ": cannot be written: File too large";
        ::_exit(ok ? 0 : 1);
    }
    int status = 1;
    ::waitpid(child, &status, 0);
    CHECK(WIFEXITED(status));
    CHECK(WEXITSTATUS(status) == 0);
    ReadReport report;
    const auto r = recording_read(file.path(), error, true, &report);
    REQUIRE_MESSAGE(r, error);
    CHECK(report.bad_chunks == 0); // cut back to the last whole chunk
    const auto plain = recording_read(file.path(), error);
    REQUIRE_MESSAGE(plain, error);
    CHECK(plain->meta.cut);
}

TEST_CASE("recording: a failed save leaves the old file as it was") {
    TempFile file;
    std::string error;
    REQUIRE(recording_write(file.path(), trace_of(arbitrary(10)), error));
    std::vector<Event> wrong = arbitrary(10);
    std::swap(wrong[3].t_ns, wrong[9].t_ns);
    CHECK_FALSE(recording_write(file.path(), trace_of(wrong), error));
    CHECK(error.starts_with(file.path() + ": event 4 is "));
    CHECK(recording_read(file.path(), error));
    CHECK_FALSE(std::filesystem::exists(file.path() + ".tmp"));
    CHECK_FALSE(recording_write("/no/such/directory/x.psc", trace_of({}), error));
    CHECK(error == "/no/such/directory/x.psc: cannot be written: No such file or directory");
}

TEST_CASE("recording: events that do not exist are not written") {
    TempFile file;
    std::string error;
    for (const int kind : {0, static_cast<int>(EventKind::count), 255}) {
        auto w = RecordingWriter::create(file.path(), {}, error);
        REQUIRE(w);
        Event e;
        e.kind = static_cast<EventKind>(kind);
        CHECK_FALSE(w->append({&e, 1}, {}));
        CHECK_FALSE(w->finish(error));
    }
}

TEST_CASE("recording: size and speed") {
    StringTable strings;
    const struct {
        const char* name;
        std::vector<Event> events;
        double most; // bytes an event
    } kinds[] = {
        {"model", written_by_model(100'000, strings), 3}, {"captured", captured(100'000, strings), 2}, {"arbitrary", arbitrary(100'000), 40}};
    for (const auto& k : kinds) {
        TempFile file;
        std::string error;
        Trace t = trace_of(k.events, strings);
        const auto t0 = std::chrono::steady_clock::now();
        REQUIRE(recording_write(file.path(), t, error));
        const double writing = seconds_since(t0);
        const auto t1 = std::chrono::steady_clock::now();
        const auto r = recording_read(file.path(), error);
        const double reading = seconds_since(t1);
        REQUIRE_MESSAGE(r, error);
        CHECK((r->events == t.events));
        const double each = static_cast<double>(std::filesystem::file_size(file.path())) / static_cast<double>(t.events.size());
        const double mb = static_cast<double>(t.events.size() * sizeof(Event)) / 1e6;
        MESSAGE(fmt::format(
            "{}: {:.2f} bytes an event; written at {:.0f} MB/s, read at {:.0f} MB/s of events in memory", k.name, each, mb / writing, mb / reading));
        CHECK(each < k.most);
    }
}
