// SPDX-License-Identifier: MIT
// Recording and timeline in figures: bytes an event, speed of writing, reading, seeking and summing up.
#include "sim/recording/recording.hpp"
#include "sim/recording/summary.hpp"
#include "sim/timeline.hpp"
#include "tests/recording_events.hpp"
#include <chrono>
#include <filesystem>
#include <fmt/format.h>
#include <random>

using namespace pipescope;
using namespace pipescope::test;

namespace {

template <class F> double seconds(F&& f) {
    const auto t = std::chrono::steady_clock::now();
    f();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - t).count();
}

void measure(const char* name, const Trace& trace) {
    const double n = static_cast<double>(trace.events.size()), millions = n / 1e6;
    TempFile file;
    std::string error;
    const double writing = seconds([&] { recording_write(file.path(), trace, error); });
    const double reading = seconds([&] { recording_read(file.path(), error); });
    const double opening = seconds([&] { RecordingReader::open(file.path(), error); });
    const double summing = seconds([&] { summarize(trace); });
    Timeline timeline;
    const double folding = seconds([&] {
        for (const Event& e : trace.events) timeline.append(e);
    });
    std::mt19937_64 random(1);
    constexpr int seeks = 2000;
    const double seeking = seconds([&] {
        for (int i = 0; i < seeks; ++i) timeline.seek(random() % timeline.size());
    });
    fmt::print("{}: {:.1f} million events\n", name, millions);
    fmt::print("  {:.2f} bytes an event in the file\n", static_cast<double>(std::filesystem::file_size(file.path())) / n);
    fmt::print("  written {:.1f}, read {:.1f}, summed up {:.1f}, folded {:.1f} million events a second\n", millions / writing, millions / reading,
        millions / summing, millions / folding);
    fmt::print("  opened without its events in {:.2f} ms; a random seek takes {:.1f} us ({} keyframes)\n", opening * 1e3, seeking / seeks * 1e6,
        timeline.keyframes());
}

} // namespace

int main() {
    Trace t;
    t.events = written_by_model(3'000'000, t.strings);
    measure("simulated write and read", t);
    t = {};
    t.events = captured(3'000'000, t.strings);
    measure("captured vmsplice and splice", t);
}
