// SPDX-License-Identifier: MIT
// BpfSession: when to look into the ring buffer and when to spend time on what came out of it.
#include "sim/live/bpf_session.hpp"
#include <fmt/format.h>
#include <limits>
#include <sys/resource.h>
#include <time.h>

namespace pipescope {
namespace {

// While the run goes on records are converted, which takes time from it, when they are many or old: what is in the file
// outlives a recorder that is killed.
constexpr std::size_t convert_from_bytes = 256 << 20;
constexpr std::size_t few_bytes = 1 << 20; // their conversion is not felt
constexpr std::uint64_t convert_few_ns = 500'000'000, convert_many_ns = 4'000'000'000;
constexpr std::size_t memory_bytes = std::size_t{1} << 30; // records that may wait in memory
constexpr std::uint64_t reorder_ns = 50'000'000;           // no program takes longer from its time stamp to its record
constexpr std::size_t prepared_bytes = 64 << 20;
constexpr int recorder_nice = -10;

} // namespace

BpfSession::~BpfSession() {
    if (converter_) ::setpriority(PRIO_PROCESS, 0, priority_);
}

bool BpfSession::open(const Sampling& sampling, std::string& why) {
    sampling_ = sampling;
    ring_ = RingReader::open(why);
    if (!ring_) return false;
    capture_ = BpfCapture::open(sampling, why);
    return capture_ != nullptr;
}

std::string BpfSession::reason() const {
    std::string s = capture_->missing();
    const auto add = [&](const std::string& more) { s += (s.empty() ? "" : "; ") + more; };
    if (sampling_.calls) add(fmt::format("sampled: the ring every {} calls, in between only calls and bytes are counted", sampling_.calls));
    if (sampling_.ns) add(fmt::format("sampled: the ring every {} us, in between only calls and bytes are counted", sampling_.ns / 1000));
    if (!ring_->facts().vmemmap) add("frame numbers are hidden from this user (CAP_SYS_ADMIN shows them)");
    return s;
}

void BpfSession::begin(const RecordedWorld& world, const FrameUsers& users, std::uint64_t start_ns) {
    converter_ = std::make_unique<RecordConverter>(ring_->facts(), users, world, stream_.strings, start_ns);
    converted_ns_ = start_ns;
    capture_->records().prepare(prepared_bytes);
    // What is recorded must not starve the recorder, or records are lost. What it runs was forked before and is as it was.
    priority_ = ::getpriority(PRIO_PROCESS, 0);
    ::setpriority(PRIO_PROCESS, 0, recorder_nice); // without the privilege all stays as it is
}

long BpfSession::turn() {
    const std::size_t before = capture_->records().bytes();
    capture_->drain();
    const std::size_t waiting = capture_->records().bytes();
    const std::uint64_t now = clock_ns(CLOCK_MONOTONIC), age = now - converted_ns_;
    if (waiting > convert_from_bytes || age > convert_many_ns || (age > convert_few_ns && waiting < few_bytes)) {
        if (waiting) {
            convert(now - reorder_ns);
            stream_.save();
        }
        converted_ns_ = clock_ns(CLOCK_MONOTONIC);
    }
    return waiting - before > (4u << 20) ? 1 : 10; // a quick run: the ring buffer must not fill
}

void BpfSession::end(RecordSummary& summary) {
    summary.programs = capture_->programs();
    capture_->detach();
    std::size_t before = 0;
    do { // a round takes so many and no more
        before = capture_->records().bytes();
        capture_->drain();
    } while (capture_->records().bytes() != before);
    ::setpriority(PRIO_PROCESS, 0, priority_);
    convert(std::numeric_limits<std::uint64_t>::max());
    summary.lost = capture_->lost();
    summary.snapshots = converter_->snapshots();
    summary.torn = converter_->torn();
    summary.bytes = converter_->bytes();
    summary.records = capture_->taken(), summary.slots = converter_->slots();
}

void BpfSession::convert(std::uint64_t before_ns) {
    std::uint32_t records = 0;
    capture_->records().take(before_ns, [&](const rec_head& record, RecordPart part) {
        converter_->add(record, part, stream_.events);
        stream_.flush();
        // While the run goes on the ring buffer must not fill meanwhile; what memory has no room for is lost, and counted.
        if (++records % 4096 == 0 && capture_->records().bytes() < memory_bytes) capture_->drain();
    });
}

} // namespace pipescope
