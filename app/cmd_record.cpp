// SPDX-License-Identifier: MIT
// Options to a recording file, with its progress and a line of summary.
#include "app/cmd_record.hpp"
#include "app/info_text.hpp"
#include "app/pair_flags.hpp"
#include "sim/live/forwarder.hpp"
#include "sim/live/record.hpp"
#include "sim/live/record_command.hpp"
#include "sim/recording/recording.hpp"
#include <charconv>
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
    std::string output = "run.psc", capture = "auto", sample, forwarder;
    std::uint32_t connections = 4; // of the forwarder
    std::vector<std::string> argv; // of the command; empty: the built-in pair, or a process
    pid_t pid = 0;
    bool json = false, progress = false;
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

// On a terminal one line that is written over; elsewhere a line now and then.
class Progress {
public:
    explicit Progress(const Settings& o) : output_(o.output), terminal_(::isatty(STDERR_FILENO) != 0), often_(o.progress) {}
    ~Progress() {
        if (shown_ && terminal_) fmt::print(stderr, "\r\x1b[K");
    }
    void operator()(const RecordProgress& p, std::uint64_t file_bytes) {
        constexpr int quiet_calls = 20; // of two a second
        if (!terminal_ && !often_ && ++calls_ % quiet_calls) return;
        shown_ = true;
        fmt::print(stderr, "{}{}: {} events, {} lost, {} through the pipes, {} written{}", terminal_ ? "\r" : "", output_, p.events, p.lost,
            bytes_text(p.bytes), bytes_text(file_bytes), terminal_ ? "\x1b[K" : "\n");
    }

private:
    std::string output_;
    bool terminal_, often_, shown_ = false;
    int calls_ = 0;
};

// The file that a recording goes to, made when the capture is known.
struct Output {
    const Settings& o;
    std::unique_ptr<RecordingWriter> writer;
    std::string error;

    RecordTarget target() {
        RecordTarget t;
        t.begin = [this](const TraceMeta& meta) {
            if (meta.calls_only() && o.record.capture == CaptureChoice::automatic)
                fmt::print(stderr, "pipescope record: recording the processes' own view of their system calls, the ring will be inferred: {}\n",
                    meta.capture_reason);
            writer = RecordingWriter::create(o.output, meta, error);
            return writer != nullptr;
        };
        t.append = [this](std::span<const Event> events, const StringTable& strings) { return writer->append(events, strings); };
        t.flush = [this] { return writer->flush(); };
        return t;
    }
};

// Exit status: the command's, or 0 of the pair; 2 when there is no recording, or not all of it could be written.
int finish(const Settings& o, Output& out, bool recorded, const RecordSummary& summary, const std::string& error, int status) {
    if (!out.writer) return fail(out.error.empty() ? error : out.error);
    // Also after a failure: what did come stays readable.
    const bool finished = out.writer->finish(out.error);
    const std::uint64_t file_bytes = out.writer->bytes_written();
    if (!finished) return fail(out.error);
    if (!recorded) return fail(error);
    if (!error.empty()) fmt::print(stderr, "pipescope record: {}\n", error);
    print_summary(o, summary, file_bytes);
    return status;
}

// "1000" calls, "100us", "10ms".
bool sampling_of(const std::string& text, Sampling& sampling) {
    std::uint64_t n = 0;
    const auto [end, err] = std::from_chars(text.data(), text.data() + text.size(), n);
    const std::string unit(end, text.data() + text.size());
    if (err != std::errc{} || !n || n > 1'000'000'000) return false;
    if (unit.empty()) sampling.calls = static_cast<std::uint32_t>(n);
    else if (unit == "us") sampling.ns = n * 1000;
    else if (unit == "ms") sampling.ns = n * 1'000'000;
    else return false;
    return true;
}

// The built-in forwarder as a command: what is recorded is what its workers do with their pipes.
CommandOptions forwarder_of(const Settings& o) {
    ForwardOptions f;
    forward_of(o.forwarder, f.how);
    f.connections = o.connections, f.bytes = o.record.pair.bytes, f.pipe_size = o.record.pair.pipe_size, f.verify = o.record.pair.verify;
    CommandOptions c{o.record, {}, 0};
    c.job_text = f.text();
    c.job = [f] {
        std::string error;
        const auto forwarder = Forwarder::start(f, error);
        if (forwarder) forwarder->go(), forwarder->wait(), error = forwarder->error();
        return error.empty() ? 0 : fail(error);
    };
    return c;
}

int record(Settings o) {
    o.record.capture = o.capture == "bpf" ? CaptureChoice::bpf : o.capture == "syscalls" ? CaptureChoice::syscalls : CaptureChoice::automatic;
    if (const std::string fault = o.record.pair.fault(); !fault.empty()) return fail(fault);
    if (!o.sample.empty() && !sampling_of(o.sample, o.record.sampling)) return fail("--sample " + o.sample + ": neither a number of calls nor a time as 100us or 10ms");
    if (o.record.sampling.on() && o.record.capture == CaptureChoice::syscalls) return fail("--sample needs BPF, --capture syscalls does without");
    if (o.pid && !o.argv.empty()) return fail("either --pid or a command, not both");
    if (!o.forwarder.empty() && !o.argv.empty()) return fail("either --forwarder or a command, not both");

    const CatchInterrupt catcher;
    Output out{o, nullptr, ""};
    RecordSummary summary;
    std::string error;
    int status = 0;
    bool recorded = false;
    {
        Progress progress(o);
        o.record.interrupted = [] { return interrupted != 0; };
        if (!o.json) o.record.progress = [&](const RecordProgress& p) { progress(p, out.writer ? out.writer->bytes_written() : 0); };
        const RecordTarget target = out.target();
        if (!o.forwarder.empty()) recorded = record_command(forwarder_of(o), target, summary, status, error);
        else if (o.argv.empty() && !o.pid) recorded = record_pair(o.record, target, summary, error);
        else recorded = record_command({o.record, o.argv, o.pid}, target, summary, status, error);
    }
    return finish(o, out, recorded, summary, error, status);
}

} // namespace

void add_record_command(CLI::App& app, std::function<int()>& run) {
    const auto o = std::make_shared<Settings>();
    CLI::App* const sub = app.add_subcommand("record", "record the pipes of a command, of a running process, of a writer and a reader of its own, or of a forwarder of its own");
    sub->add_option("-o,--output", o->output, "the recording")->capture_default_str();
    sub->add_option("command", o->argv, "a command and its arguments, after --")->type_name("-- COMMAND [ARGUMENT...]");
    sub->add_option("--pid", o->pid, "a running process, with what it starts from now on, until it ends or Ctrl-C")->check(CLI::PositiveNumber);
    add_pair_flags(*sub, o->record.pair);
    add_forward_flags(*sub, o->forwarder, o->connections);
    sub->add_option("--capture", o->capture, "bpf reads the kernel's ring, syscalls infers it, auto takes the best")
        ->check(CLI::IsMember({"auto", "bpf", "syscalls"}))
        ->capture_default_str();
    sub->add_option("--ring-buffer", o->record.sampling.buffer_bytes, "memory between the kernel and the recorder")
        ->transform(CLI::AsSizeValue(false))
        ->check(CLI::Range(std::uint64_t{page_size}, std::uint64_t{1} << 30))
        ->type_name("SIZE")
        ->default_str("64M");
    sub->add_option("--sample", o->sample, "look at the ring only every N calls, or every Nus or Nms, and count what happens in between")
        ->type_name("N|Nus|Nms");
    sub->add_flag("--progress", o->progress, "a line of progress twice a second where no terminal is, too");
    sub->add_flag("--json", o->json, "the summary as one JSON object");
    sub->callback([o, &run] { run = [o] { return record(*o); }; });
}

} // namespace pipescope
