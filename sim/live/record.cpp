// SPDX-License-Identifier: MIT
// A recording of the pair from start to end: choose the capture, hold the pair, let it go, convert what was seen.
#include "sim/live/record.hpp"
#include "sim/live/bpf_session.hpp"
#include "sim/live/infer.hpp"
#include <fmt/format.h>
#include <time.h>

namespace pipescope {
namespace {

constexpr std::uint64_t patience_ns = 5'000'000'000; // after an interrupt, until the pair is ended by force

class PairRecording {
public:
    PairRecording(const RecordOptions& options, const RecordTarget& target, RecordSummary& summary)
        : options_(options), summary_(summary), stream_(target, summary) {}
    bool run(std::string& error);

private:
    bool prepare_bpf(std::string& why);
    bool begin();
    void learn_world();
    void learn_frames(bool after);
    void watch();
    void infer();
    void end();

    const RecordOptions& options_;
    RecordSummary& summary_;
    EventStream stream_;
    std::unique_ptr<Pair> pair_;
    std::unique_ptr<BpfSession> bpf_;
    RecordedWorld world_;
    FrameUsers users_;
    std::uint64_t start_ns_ = 0;
};

// The pair held at its gate with the programs attached; `why` not, in one sentence.
bool PairRecording::prepare_bpf(std::string& why) {
    bpf_ = std::make_unique<BpfSession>(stream_);
    if (!bpf_->open(options_.sampling, why)) return false;
    pair_ = Pair::start(options_.pair, false, why);
    if (!pair_) return false;
    const auto ring = bpf_->ring().read(pair_->read_end());
    if (!ring) {
        why = "the kernel's ring of the pipe cannot be read";
        return false;
    }
    world_.address = ring->address;
    for (const Side side : {side_writer, side_reader})
        if (!bpf_->capture().record(pair_->report(side).pid, why)) return false;
    return bpf_->capture().attach(why);
}

bool PairRecording::run(std::string& error) {
    std::string why;
    if (options_.capture == CaptureChoice::syscalls) {
        why = "asked for by --capture syscalls";
    } else if (!prepare_bpf(why)) {
        bpf_.reset();
        pair_.reset();
        if (options_.bpf_only()) {
            error = why;
            return false;
        }
    }
    if (!pair_) pair_ = Pair::start(options_.pair, true, error);
    if (!pair_) return false;
    summary_.capture = bpf_ ? bpf_->name() : "syscalls";
    summary_.capture_reason = bpf_ ? bpf_->reason() : why;
    learn_world();
    learn_frames(false);
    if (!begin()) return false; // the target has said why
    watch();
    end();
    if (error = pair_->error(); !error.empty() && !summary_.bytes) return false;
    return stream_.good();
}

bool PairRecording::begin() {
    TraceMeta meta = meta_of_now(summary_, start_ns_);
    const PairOptions& p = options_.pair;
    meta.title = fmt::format("{} | {}", p.vmsplice ? "vmsplice" : "write", p.splice ? "splice" : "read");
    meta.command = p.text();
    if (!stream_.begin(meta)) return false;
    world_events(world_, stream_.strings, stream_.events);
    stream_.save();
    return true;
}

void PairRecording::learn_world() {
    world_.inode = pair_->inode();
    world_.slots = pair_->slots();
    world_.nonblock = options_.pair.busy_loop;
    world_.to_null = options_.pair.splice;
    world_.source = bpf_ ? RingSource::kernel : RingSource::inferred;
    for (const Side side : {side_writer, side_reader}) {
        const SideReport& r = pair_->report(side);
        RecordedTask t;
        t.name = side == side_writer ? "writer" : "reader";
        t.pid = static_cast<std::uint64_t>(r.pid);
        t.cpu = r.cpu;
        t.buffer = r.buffer, t.buffer_bytes = r.buffer_bytes;
        t.fd = static_cast<std::uint32_t>(pair_->pipe_fd(side));
        t.reads = side == side_reader;
        world_.tasks.push_back(t);
    }
}

// Before the run, and once more after it: memory that was never written to gets its pages on the way.
void PairRecording::learn_frames(bool after) {
    for (const Side side : {side_writer, side_reader}) {
        const auto frames = after ? pair_->frames_after(side) : pair_->frames_before(side);
        const SideReport& r = pair_->report(side);
        for (std::uint32_t i = 0; i < frames.size(); ++i)
            if (frames[i])
                users_.try_emplace(frames[i], FrameUser{static_cast<std::uint32_t>(r.pid), i, r.buffer + (std::uint64_t{i} << page_shift)});
    }
}

void PairRecording::watch() {
    if (bpf_) bpf_->begin(world_, users_, start_ns_);
    const std::uint64_t gone_ns = clock_ns(CLOCK_MONOTONIC);
    pair_->go();
    std::uint64_t stopped_ns = 0;
    while (pair_->running()) {
        const long nap = bpf_ ? bpf_->turn() : 10;
        const std::uint64_t now = clock_ns(CLOCK_MONOTONIC);
        stream_.tell(options_, bpf_ ? bpf_->capture().lost() : 0, pair_->report(side_reader).bytes);
        if (!stopped_ns && (!stream_.good() || (options_.interrupted && options_.interrupted()))) {
            summary_.interrupted = stream_.good();
            pair_->stop();
            stopped_ns = now;
        }
        if (stopped_ns && now - stopped_ns > patience_ns) break;
        nap_ms(nap);
    }
    summary_.duration_ns = clock_ns(CLOCK_MONOTONIC) - start_ns_;
    summary_.pair_ns = clock_ns(CLOCK_MONOTONIC) - gone_ns;
}

void PairRecording::end() {
    learn_frames(true);
    if (bpf_) {
        bpf_->end(summary_);
    } else {
        infer();
        for (const Side side : {side_writer, side_reader}) summary_.lost += pair_->report(side).log_lost;
    }
    summary_.bytes = pair_->report(side_reader).bytes;
    if (summary_.lost) stream_.at_end(EventKind::lost).x = summary_.lost;
    if (!bpf_)
        for (TaskId t = 0; t < world_.tasks.size(); ++t) stream_.at_end(EventKind::task_exit, t);
    stream_.flush(1);
}

void PairRecording::infer() {
    std::vector<InferredCall> calls;
    std::vector<std::uint64_t> buffers;
    for (const Side side : {side_writer, side_reader}) {
        buffers.push_back(world_.tasks[side].buffer);
        for (const LoggedCall& call : pair_->log(side)) calls.push_back({static_cast<TaskId>(side), world_.tasks[side].fd, call});
    }
    RingInference ring(0, world_.slots, buffers, stream_.strings.intern(again_note), stream_.events);
    infer_events(calls, ring, start_ns_, [this] { stream_.flush(); });
}

} // namespace

bool record_pair(const RecordOptions& options, const RecordTarget& target, RecordSummary& summary, std::string& error) {
    return PairRecording(options, target, summary).run(error);
}

} // namespace pipescope
