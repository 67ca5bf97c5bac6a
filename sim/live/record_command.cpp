// SPDX-License-Identifier: MIT
// A recording of a command from start to end.
#include "sim/live/record_command.hpp"
#include "sim/live/bpf_session.hpp"
#include "sim/live/command.hpp"
#include "sim/live/foreign_frames.hpp"
#include <fmt/format.h>
#include <csignal>
#include <time.h>

namespace pipescope {
namespace {

constexpr std::uint64_t tell_ns = 500'000'000;
constexpr std::uint64_t patience_ns = 300'000'000; // after an interrupt, which mostly ends the command too, for its exit status

class CommandRecording {
public:
    CommandRecording(const CommandOptions& options, const RecordTarget& target, RecordSummary& summary)
        : options_(options), summary_(summary), stream_(target, summary), bpf_(stream_) {}
    bool run(int& status, std::string& error);

private:
    bool record_all(std::string& why);
    bool begin(std::string& error);
    void watch();

    const CommandOptions& options_;
    RecordSummary& summary_;
    EventStream stream_;
    BpfSession bpf_;
    std::unique_ptr<Command> command_;
    RecordedWorld world_;
    ForeignFrames frames_;
    std::uint64_t start_ns_ = 0;
};

// The child that waits at its gate, or the threads of the process that runs.
bool CommandRecording::record_all(std::string& why) {
    BpfCapture& capture = bpf_.capture();
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

bool CommandRecording::run(int& status, std::string& error) {
    command_ = options_.argv.empty() ? Command::attach(options_.pid, error) : Command::start(options_.argv, error);
    if (!command_) return false;
    std::string note;
    if (!bpf_.open(options_.sampling, error) || !record_all(note)) {
        if (error.empty()) error = note;
        return false;
    }
    summary_.capture = "bpf";
    summary_.capture_reason = bpf_.reason();
    if (!note.empty()) summary_.capture_reason += (summary_.capture_reason.empty() ? "" : "; ") + note;
    if (!begin(error)) return false;
    watch();
    status = command_->status();
    return stream_.good();
}

bool CommandRecording::begin(std::string& error) {
    TraceMeta meta = meta_of_now(summary_, start_ns_);
    meta.title = command_->own() ? command_->text() : fmt::format("process {}: {}", command_->pid(), command_->text());
    meta.command = command_->text();
    if (!stream_.begin(meta)) return false;
    stream_.save();
    bpf_.begin(world_, frames_.users(), start_ns_);
    if (command_->own()) bpf_.converter().know(static_cast<std::uint32_t>(command_->pid()), static_cast<std::uint32_t>(command_->pid()), "pipescope");
    else
        for (const pid_t tid : threads_of(command_->pid()))
            bpf_.converter().know(static_cast<std::uint32_t>(tid), static_cast<std::uint32_t>(command_->pid()), name_of(tid));
    if (bpf_.ring().facts().vmemmap) bpf_.capture().on_arrival([this](const rec_head& record) { frames_.look(record); });
    if (!bpf_.capture().attach(error)) return false;
    return !command_->own() || command_->go(error);
}

void CommandRecording::watch() {
    std::uint64_t stopped_ns = 0, told_ns = start_ns_;
    while (command_->running()) {
        const long nap = bpf_.turn();
        const std::uint64_t now = clock_ns(CLOCK_MONOTONIC);
        if (options_.progress && now - told_ns > tell_ns) {
            options_.progress({summary_.events, bpf_.capture().lost(), bpf_.converter().bytes()});
            told_ns = now;
        }
        if (!stream_.good()) break;
        if (!stopped_ns && options_.interrupted && options_.interrupted()) {
            summary_.interrupted = true;
            stopped_ns = now;
        }
        if (stopped_ns && (!command_->own() || now - stopped_ns > patience_ns)) break;
        nap_ms(nap);
    }
    const bool interrupted = command_->running();
    bpf_.end(summary_);
    summary_.duration_ns = std::max(summary_.duration_ns, clock_ns(CLOCK_MONOTONIC) - start_ns_);
    const auto last = [&](EventKind kind) -> Event& {
        Event e;
        e.t_ns = summary_.duration_ns, e.kind = kind;
        stream_.events.push_back(e);
        return stream_.events.back();
    };
    if (summary_.lost) last(EventKind::lost).x = summary_.lost;
    if (bpf_.capture().missed()) {
        Event& e = last(EventKind::note);
        e.a = stream_.strings.intern("processes were started and could not be followed"), e.x = bpf_.capture().missed();
    }
    stream_.flush(1);
    (void)interrupted;
}

} // namespace

bool record_command(const CommandOptions& options, const RecordTarget& target, RecordSummary& summary, int& status, std::string& error) {
    return CommandRecording(options, target, summary).run(status, error);
}

} // namespace pipescope
