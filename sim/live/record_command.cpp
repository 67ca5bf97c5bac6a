// SPDX-License-Identifier: MIT
// A recording of a command from start to end.
#include "sim/live/record_command.hpp"
#include "sim/live/bpf_session.hpp"
#include "sim/live/command.hpp"
#include "sim/live/foreign_frames.hpp"
#include "sim/live/traced_stream.hpp"
#include <fmt/format.h>
#include <algorithm>
#include <time.h>

namespace pipescope {
namespace {

constexpr std::uint64_t patience_ns = 300'000'000; // after an interrupt, which mostly ends the command too, for its exit status

class CommandRecording {
public:
    CommandRecording(const CommandOptions& options, const RecordTarget& target, RecordSummary& summary)
        : options_(options), summary_(summary), stream_(target, summary) {}
    bool run(int& status, std::string& error);

private:
    bool prepare_bpf(std::string& why);
    bool record_all(std::string& why);
    bool begin();
    bool run_bpf(std::string& error);
    bool run_traced(std::string& error);
    void watch();
    bool stop_asked(std::uint64_t now);
    void end();
    template <class Converter> void know_all(Converter& converter);

    const CommandOptions& options_;
    RecordSummary& summary_;
    EventStream stream_;
    std::unique_ptr<BpfSession> bpf_;
    std::unique_ptr<Command> command_;
    RecordedWorld world_;
    ForeignFrames frames_;
    std::uint64_t start_ns_ = 0, stopped_ns_ = 0;
};

// The child that waits at its gate, or the threads of the process that runs.
bool CommandRecording::record_all(std::string& why) {
    BpfCapture& capture = bpf_->capture();
    const pid_t pid = command_->pid();
    if (!capture.record(pid, why)) return false;
    if (command_->own()) return true;
    std::size_t refused = 0;
    for (const pid_t tid : threads_of(pid)) {
        std::string ignored;
        if (tid != pid && !capture.record(tid, ignored, true)) ++refused;
    }
    if (refused) why = fmt::format("{} of its threads cannot be named to this kernel and are not seen", refused);
    return true;
}

bool CommandRecording::prepare_bpf(std::string& why) {
    bpf_ = std::make_unique<BpfSession>(stream_);
    if (!bpf_->open(options_.sampling, why) || !record_all(why)) return false;
    std::string refused;
    if (!bpf_->capture().attach(refused)) return why = refused, false;
    const std::string missing = bpf_->reason();
    why += (why.empty() || missing.empty() ? "" : "; ") + missing;
    return true;
}

bool CommandRecording::run(int& status, std::string& error) {
    command_ = options_.job ? Command::start(options_.job, options_.job_text, error)
        : options_.argv.empty() ? Command::attach(options_.pid, error) : Command::start(options_.argv, error);
    if (!command_) return false;
    std::string why;
    if (options_.capture == CaptureChoice::syscalls) {
        why = "asked for by --capture syscalls";
    } else if (!prepare_bpf(why)) {
        bpf_.reset();
        if (options_.bpf_only()) {
            error = why;
            return false;
        }
    }
    summary_.capture = bpf_ ? bpf_->name() : "syscalls";
    summary_.capture_reason = why;
    if (!bpf_) summary_.capture_reason += "; each call on a pipe was stopped twice to be seen, which makes the command slower";
    const bool ran = bpf_ ? run_bpf(error) : run_traced(error);
    // A recording that could not be written any further is no reason to leave the command alone.
    while (!stream_.good() && command_->own() && command_->started() && command_->running() && !(options_.interrupted && options_.interrupted())) nap_ms(20);
    status = command_->status();
    return ran && stream_.good();
}

bool CommandRecording::begin() {
    TraceMeta meta = meta_of_now(summary_, start_ns_);
    meta.title = command_->own() ? command_->text() : fmt::format("process {}: {}", command_->pid(), command_->text());
    meta.command = command_->text();
    return stream_.begin(meta);
}

template <class Converter> void CommandRecording::know_all(Converter& converter) {
    const auto pid = static_cast<std::uint32_t>(command_->pid());
    if (command_->own()) return converter.know(pid, pid, "pipescope");
    for (const pid_t tid : threads_of(command_->pid())) converter.know(static_cast<std::uint32_t>(tid), pid, name_of(tid));
}

bool CommandRecording::run_bpf(std::string& error) {
    if (!begin()) return false;
    bpf_->begin(world_, frames_.users(), start_ns_);
    know_all(bpf_->converter());
    if (bpf_->ring().facts().vmemmap) bpf_->capture().on_arrival([this](const rec_head& record) { frames_.look(record); });
    if (command_->own() && !command_->go(error)) return false;
    watch();
    return true;
}

// After Ctrl-C the command is given a moment to end of it too, for the sake of its exit status.
bool CommandRecording::stop_asked(std::uint64_t now) {
    if (!stream_.good()) return true;
    if (!stopped_ns_ && options_.interrupted && options_.interrupted()) {
        summary_.interrupted = true;
        stopped_ns_ = now;
    }
    return stopped_ns_ && (!command_->own() || now - stopped_ns_ > patience_ns);
}

void CommandRecording::watch() {
    while (command_->running()) {
        const long nap = bpf_->turn();
        const std::uint64_t now = clock_ns(CLOCK_MONOTONIC);
        stream_.tell(options_, bpf_->capture().lost(), bpf_->converter().bytes());
        if (stop_asked(now)) break;
        nap_ms(nap);
    }
    bpf_->end(summary_);
    if (const std::uint64_t missed = bpf_->capture().missed()) {
        Event& e = stream_.at_end(EventKind::note);
        e.a = stream_.strings.intern(missed_note), e.x = missed;
    }
    end();
}

bool CommandRecording::run_traced(std::string& error) {
    std::unique_ptr<TracedStream> calls;
    Tracer::Uses uses;
    uses.entered = [&](const TracedCall& call) { return calls->entered(call); };
    uses.left = [&](std::size_t number, const TracedCall& call) { calls->left(number, call); };
    uses.asleep = [&](std::size_t number) { calls->asleep(number); };
    uses.task = [&](const rec_task& record) { calls->task(record); };
    uses.tick = [&] {
        calls->tell();
        stream_.save();
        stream_.tell(options_, 0, calls->converter().bytes());
        return !stop_asked(clock_ns(CLOCK_MONOTONIC));
    };
    Tracer tracer(*command_, uses);
    if (!tracer.seize(error) || !begin()) return false;
    calls = std::make_unique<TracedStream>(stream_, start_ns_);
    know_all(calls->converter());
    const bool ran = tracer.run(error);
    calls->tell(true);
    summary_.bytes = calls->converter().bytes();
    end();
    return ran;
}

void CommandRecording::end() {
    summary_.duration_ns = std::max(summary_.duration_ns, clock_ns(CLOCK_MONOTONIC) - start_ns_);
    if (summary_.lost) stream_.at_end(EventKind::lost).x = summary_.lost;
    stream_.flush(1);
}

} // namespace

bool record_command(const CommandOptions& options, const RecordTarget& target, RecordSummary& summary, int& status, std::string& error) {
    return CommandRecording(options, target, summary).run(status, error);
}

} // namespace pipescope
