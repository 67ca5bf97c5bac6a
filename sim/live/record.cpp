// SPDX-License-Identifier: MIT
// A recording from start to end: choose the capture, hold the pair, let it go, convert what was seen.
#include "sim/live/record.hpp"
#include "sim/live/capture_bpf.hpp"
#include "sim/live/convert.hpp"
#include "sim/live/infer.hpp"
#include <fmt/format.h>
#include <algorithm>
#include <limits>
#include <sys/resource.h>
#include <sys/utsname.h>
#include <time.h>

namespace pipescope {
namespace {

constexpr std::size_t batch_events = 1 << 16;
// While the run goes on records are converted, which takes time from it, when they are many or old: what is in the file
// outlives a recorder that is killed.
constexpr std::size_t convert_from_bytes = 256 << 20;
constexpr std::uint64_t convert_from_ns = 2'000'000'000;
constexpr std::size_t memory_bytes = std::size_t{1} << 30; // records that may wait in memory
constexpr std::uint64_t reorder_ns = 50'000'000;           // no program takes longer from its time stamp to its record
constexpr int recorder_nice = -10;
constexpr std::uint64_t patience_ns = 5'000'000'000; // after an interrupt, until the pair is ended by force

std::uint64_t clock_ns(clockid_t clock) {
    timespec t{};
    ::clock_gettime(clock, &t);
    return static_cast<std::uint64_t>(t.tv_sec) * 1'000'000'000 + static_cast<std::uint64_t>(t.tv_nsec);
}

void nap_ms(long ms) {
    const timespec t{0, ms * 1'000'000};
    ::nanosleep(&t, nullptr);
}

class Recording {
public:
    Recording(const RecordOptions& options, const RecordTarget& target, RecordSummary& summary)
        : options_(options), target_(target), summary_(summary) {}
    bool run(std::string& error);

private:
    bool prepare_bpf(std::string& why);
    bool begin();
    void learn_world();
    void learn_frames(bool after);
    void watch();
    void convert(std::uint64_t before_ns);
    void infer();
    void end();
    void flush(std::size_t at_least);

    const RecordOptions& options_;
    const RecordTarget& target_;
    RecordSummary& summary_;
    std::unique_ptr<RingReader> ring_;
    std::unique_ptr<Pair> pair_;
    std::unique_ptr<BpfCapture> bpf_;
    std::unique_ptr<RecordConverter> converter_;
    RecordedWorld world_;
    FrameUsers users_;
    StringTable strings_;
    std::vector<Event> events_;
    std::uint64_t start_ns_ = 0;
    bool good_ = true; // the target takes more
};

// The pair held at its gate with the programs attached; `why` not, in one sentence.
bool Recording::prepare_bpf(std::string& why) {
    ring_ = RingReader::open(why);
    if (!ring_) return false;
    pair_ = Pair::start(options_.pair, false, why);
    if (!pair_) return false;
    const auto ring = ring_->read(pair_->read_end());
    if (!ring) {
        why = "the kernel's ring of the pipe cannot be read";
        return false;
    }
    bpf_ = BpfCapture::open(ring->address, why);
    if (!bpf_) return false;
    for (const Side side : {side_writer, side_reader})
        if (!bpf_->record(pair_->report(side).pid, why)) return false;
    return bpf_->attach(why);
}

bool Recording::run(std::string& error) {
    std::string why;
    if (options_.capture == CaptureChoice::syscalls) {
        why = "asked for by --capture syscalls";
    } else if (!prepare_bpf(why)) {
        bpf_.reset();
        pair_.reset();
        if (options_.capture == CaptureChoice::bpf) {
            error = why;
            return false;
        }
    }
    if (!pair_) pair_ = Pair::start(options_.pair, true, error);
    if (!pair_) return false;
    summary_.capture = bpf_ ? "bpf" : "syscalls";
    if (!bpf_) summary_.capture_reason = why;
    else if (!ring_->facts().vmemmap) summary_.capture_reason = "frame numbers are hidden from this user (CAP_SYS_ADMIN shows them)";
    else summary_.capture_reason = bpf_->missing();
    learn_world();
    learn_frames(false);
    if (!begin()) return false; // the target has said why
    watch();
    end();
    if (error = pair_->error(); !error.empty() && !summary_.bytes) return false;
    return good_;
}

bool Recording::begin() {
    start_ns_ = clock_ns(CLOCK_MONOTONIC);
    TraceMeta meta;
    utsname name{};
    ::uname(&name);
    const PairOptions& p = options_.pair;
    meta.title = fmt::format("{} | {}", p.vmsplice ? "vmsplice" : "write", p.splice ? "splice" : "read");
    meta.kernel = name.release;
    meta.capture = summary_.capture;
    meta.capture_reason = summary_.capture_reason;
    meta.command = p.text();
    meta.start_unix_ns = clock_ns(CLOCK_REALTIME);
    if (!target_.begin(meta)) return false;
    world_events(world_, strings_, events_);
    if (bpf_) converter_ = std::make_unique<RecordConverter>(ring_->facts(), users_, world_, strings_, start_ns_);
    return true;
}

void Recording::learn_world() {
    world_.inode = pair_->inode();
    world_.slots = pair_->slots();
    world_.nonblock = options_.pair.busy_loop;
    world_.to_null = options_.pair.splice;
    world_.source = bpf_ ? RingSource::kernel : RingSource::inferred;
    for (const Side side : {side_writer, side_reader}) {
        const SideReport& r = pair_->report(side);
        RecordedTask& t = world_.tasks[side];
        t.name = side == side_writer ? "writer" : "reader";
        t.pid = static_cast<std::uint64_t>(r.pid);
        t.cpu = r.cpu;
        t.buffer = r.buffer, t.buffer_bytes = r.buffer_bytes;
        t.fd = static_cast<std::uint32_t>(pair_->pipe_fd(side));
        t.reads = side == side_reader;
    }
}

// Before the run, and once more after it: memory that was never written to gets its pages on the way.
void Recording::learn_frames(bool after) {
    for (const Side side : {side_writer, side_reader}) {
        const auto frames = after ? pair_->frames_after(side) : pair_->frames_before(side);
        for (std::uint32_t i = 0; i < frames.size(); ++i)
            if (frames[i])
                users_.try_emplace(frames[i], FrameUser{static_cast<TaskId>(side), i, pair_->report(side).buffer + (std::uint64_t{i} << page_shift)});
    }
}

void Recording::watch() {
    // What is recorded must not starve the recorder, or records are lost. The pair, forked before, is as it was.
    const int priority = ::getpriority(PRIO_PROCESS, 0);
    ::setpriority(PRIO_PROCESS, 0, recorder_nice); // without the privilege all stays as it is
    pair_->go();
    std::uint64_t stopped_ns = 0, told_ns = start_ns_, converted_ns = start_ns_;
    while (pair_->running()) {
        long nap = 10;
        if (bpf_) {
            const std::size_t before = bpf_->records().bytes();
            const std::uint64_t now = clock_ns(CLOCK_MONOTONIC);
            bpf_->drain();
            if (bpf_->records().bytes() - before > (4u << 20)) nap = 1; // a quick run: the ring buffer must not fill
            if (bpf_->records().bytes() > convert_from_bytes || now - converted_ns > convert_from_ns) {
                convert(now - reorder_ns);
                converted_ns = clock_ns(CLOCK_MONOTONIC);
            }
        }
        const std::uint64_t now = clock_ns(CLOCK_MONOTONIC);
        if (options_.progress && now - told_ns > 500'000'000) {
            options_.progress(pair_->report(side_reader).bytes);
            told_ns = now;
        }
        if (!stopped_ns && (!good_ || (options_.interrupted && options_.interrupted()))) {
            summary_.interrupted = good_;
            pair_->stop();
            stopped_ns = now;
        }
        if (stopped_ns && now - stopped_ns > patience_ns) break;
        nap_ms(nap);
    }
    summary_.duration_ns = clock_ns(CLOCK_MONOTONIC) - start_ns_;
    ::setpriority(PRIO_PROCESS, 0, priority);
}

void Recording::end() {
    learn_frames(true);
    summary_.bytes = pair_->report(side_reader).bytes;
    if (bpf_) {
        bpf_->detach();
        std::size_t before = 0;
        do { // a round takes so many and no more
            before = bpf_->records().bytes();
            bpf_->drain();
        } while (bpf_->records().bytes() != before);
        convert(std::numeric_limits<std::uint64_t>::max());
        summary_.lost = bpf_->lost();
        summary_.snapshots = converter_->snapshots();
        summary_.torn = converter_->torn();
    } else {
        infer();
        for (const Side side : {side_writer, side_reader}) summary_.lost += pair_->report(side).log_lost;
    }
    const auto last = [&](EventKind kind, TaskId task) -> Event& {
        Event e;
        e.t_ns = summary_.duration_ns, e.kind = kind, e.task = task;
        events_.push_back(e);
        return events_.back();
    };
    if (summary_.lost) last(EventKind::lost, no_id).x = summary_.lost;
    for (TaskId t = 0; t < world_.tasks.size(); ++t) last(EventKind::task_exit, t);
    flush(1);
}

void Recording::convert(std::uint64_t before_ns) {
    std::uint32_t records = 0;
    bpf_->records().take(before_ns, [&](const rec_head& record) {
        converter_->add(record, events_);
        flush(batch_events);
        // While the run goes on the ring buffer must not fill meanwhile; what memory has no room for is lost, and counted.
        if (++records % 4096 == 0 && bpf_->records().bytes() < memory_bytes) bpf_->drain();
    });
}

void Recording::infer() {
    std::vector<InferredCall> calls;
    std::vector<std::uint64_t> buffers;
    for (const Side side : {side_writer, side_reader}) {
        buffers.push_back(world_.tasks[side].buffer);
        for (const LoggedCall& call : pair_->log(side)) calls.push_back({static_cast<TaskId>(side), world_.tasks[side].fd, call});
    }
    RingInference ring(0, world_.slots, buffers, strings_.intern(again_note), events_);
    infer_events(calls, ring, start_ns_, [this] { flush(batch_events); });
}

void Recording::flush(std::size_t at_least) {
    if (events_.size() < at_least) return;
    if (!events_.empty()) summary_.duration_ns = std::max(summary_.duration_ns, events_.back().t_ns);
    summary_.events += events_.size();
    if (good_) good_ = target_.append(events_, strings_);
    events_.clear();
}

} // namespace

bool record_pair(const RecordOptions& options, const RecordTarget& target, RecordSummary& summary, std::string& error) {
    return Recording(options, target, summary).run(error);
}

} // namespace pipescope
