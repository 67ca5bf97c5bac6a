// SPDX-License-Identifier: MIT
// Options to a recording file, with a line of summary.
#include "app/cmd_record.hpp"
#include "app/info_text.hpp"
#include "sim/live/record.hpp"
#include "sim/recording/recording.hpp"
#include <csignal>
#include <cstdio>
#include <fmt/format.h>
#include <memory>
#include <nlohmann/json.hpp>
#include <unistd.h>

namespace pipescope {
namespace {

volatile std::sig_atomic_t interrupted = 0;

// Ctrl-C ends the run, not the recording of it.
class CatchInterrupt {
public:
    CatchInterrupt() {
        interrupted = 0;
        struct sigaction action {};
        action.sa_handler = [](int) { interrupted = 1; };
        ::sigaction(SIGINT, &action, &old_int_);
        ::sigaction(SIGTERM, &action, &old_term_);
    }
    ~CatchInterrupt() {
        ::sigaction(SIGINT, &old_int_, nullptr);
        ::sigaction(SIGTERM, &old_term_, nullptr);
    }

private:
    struct sigaction old_int_ {
    }, old_term_{};
};

struct Settings {
    RecordOptions record;
    std::string output = "run.psc", write = "write", read = "read", capture = "auto";
    bool json = false;
};

double gib_per_s(const RecordSummary& s) {
    return s.duration_ns ? static_cast<double>(s.bytes) / static_cast<double>(s.duration_ns) * 1e9 / (1 << 30) : 0;
}

void print_summary(const Settings& o, const RecordSummary& s, std::uint64_t file_bytes) {
    if (o.json) {
        const nlohmann::ordered_json all = {{"file", o.output}, {"capture", s.capture},
            {"capture_reason", s.capture_reason.empty() ? nlohmann::ordered_json() : nlohmann::ordered_json(s.capture_reason)}, {"events", s.events},
            {"lost", s.lost}, {"snapshots", s.snapshots}, {"torn", s.torn}, {"bytes", s.bytes}, {"duration_ns", s.duration_ns},
            {"gib_per_s", gib_per_s(s)}, {"file_bytes", file_bytes}, {"interrupted", s.interrupted}};
        fmt::print("{}\n", all.dump(2, ' ', false, nlohmann::json::error_handler_t::replace));
        return;
    }
    fmt::print(stderr, "{}: {} in {} = {:.2f} GiB/s while recorded by {}{}\n", o.output, bytes_text(s.bytes), ns_text(s.duration_ns), gib_per_s(s),
        s.capture, s.interrupted ? ", interrupted" : "");
    fmt::print(stderr, "{}: {} events, {} lost, {}", o.output, s.events, s.lost, bytes_text(file_bytes));
    if (s.snapshots) fmt::print(stderr, ", {} rings read, {} of them while somebody was at work in them", s.snapshots, s.torn);
    fmt::print(stderr, "\n");
}

int fail(const std::string& message) {
    fmt::print(stderr, "pipescope record: {}\n", message);
    return 2;
}

int record(Settings o) {
    o.record.pair.vmsplice = o.write == "vmsplice";
    o.record.pair.splice = o.read == "splice";
    o.record.capture = o.capture == "bpf" ? CaptureChoice::bpf : o.capture == "syscalls" ? CaptureChoice::syscalls : CaptureChoice::automatic;
    if (o.record.pair.gift && !o.record.pair.vmsplice) return fail("--gift is a flag of vmsplice: add --write vmsplice");
    if (o.record.pair.same_buffer && !o.record.pair.vmsplice) return fail("--same-buffer is for vmsplice: write has one buffer anyway");

    const CatchInterrupt catcher;
    o.record.interrupted = [] { return interrupted != 0; };
    const bool terminal = ::isatty(STDERR_FILENO) != 0 && !o.json;
    if (terminal) o.record.progress = [](std::uint64_t bytes) { fmt::print(stderr, "\r{} … ", bytes_text(bytes)); };

    std::unique_ptr<RecordingWriter> writer;
    std::string error, write_error;
    RecordSummary summary;
    RecordTarget target;
    target.begin = [&](const TraceMeta& meta) {
        if (meta.capture == "syscalls" && o.record.capture == CaptureChoice::automatic)
            fmt::print(stderr, "pipescope record: recording the processes' own view of their system calls, the ring will be inferred: {}\n",
                meta.capture_reason);
        writer = RecordingWriter::create(o.output, meta, write_error);
        return writer != nullptr;
    };
    target.append = [&](std::span<const Event> events, const StringTable& strings) { return writer->append(events, strings); };

    const bool recorded = record_pair(o.record, target, summary, error);
    if (terminal) fmt::print(stderr, "\r");
    if (!writer) return fail(write_error.empty() ? error : write_error);
    // Also after a failure: what did come stays readable.
    const bool finished = writer->finish(write_error);
    const std::uint64_t file_bytes = writer->bytes_written();
    if (!finished) return fail(write_error);
    if (!recorded) return fail(error);
    if (!error.empty()) fmt::print(stderr, "pipescope record: {}\n", error);
    print_summary(o, summary, file_bytes);
    return 0;
}

} // namespace

void add_record_command(CLI::App& app, std::function<int()>& run) {
    const auto o = std::make_shared<Settings>();
    PairOptions& p = o->record.pair;
    CLI::App* const sub = app.add_subcommand("record", "record the pipe of a writer and a reader process");
    sub->add_option("-o,--output", o->output, "the recording")->capture_default_str();
    sub->add_option("--write", o->write, "the writer's call: write or vmsplice")->check(CLI::IsMember({"write", "vmsplice"}))->capture_default_str();
    sub->add_option("--read", o->read, "the reader's call: read, or splice to /dev/null")
        ->check(CLI::IsMember({"read", "splice"}))
        ->capture_default_str();
    const auto size = [&](const char* name, std::uint64_t& value, const char* what, std::uint64_t least, std::uint64_t most) {
        return sub->add_option(name, value, what)->transform(CLI::AsSizeValue(false))->check(CLI::Range(least, most))->type_name("SIZE");
    };
    constexpr std::uint64_t mib = 1 << 20;
    size("--bytes", p.bytes, "bytes to send, as 1000, 64K, 1G", 1, std::uint64_t{1} << 50)->default_str("1G");
    size("--buffer", p.buffer, "bytes of one call", 1, 1024 * mib)->default_str("256K");
    size("--pipe-size", p.pipe_size, "size of the pipe; default half a buffer with vmsplice, else the kernel's", page_size, 1024 * mib);
    sub->add_option("--capture", o->capture, "bpf reads the kernel's ring, syscalls infers it, auto takes the best")
        ->check(CLI::IsMember({"auto", "bpf", "syscalls"}))
        ->capture_default_str();
    sub->add_flag("--huge-page", p.huge_page, "buffers in 2 MiB pages");
    sub->add_flag("--busy-loop", p.busy_loop, "never block, call again");
    sub->add_flag("--poll", p.poll, "poll() before each call");
    sub->add_flag("--gift", p.gift, "vmsplice with SPLICE_F_GIFT");
    sub->add_flag("--same-buffer", p.same_buffer, "vmsplice from one buffer, not from two in turns");
    sub->add_flag("--untouched", p.untouched, "never write to the buffers");
    sub->add_flag("--json", o->json, "the summary as one JSON object");
    sub->callback([o, &run] { run = [o] { return record(*o); }; });
}

} // namespace pipescope
