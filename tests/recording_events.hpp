// SPDX-License-Identifier: MIT
// Streams of events made by hand for tests: valid ones that a state accepts, and fields filled at random.
#pragma once
#include "sim/trace.hpp"
#include <random>
#include <string>
#include <vector>

namespace pipescope::test {

// Two tasks and a pipe of 16 slots; write()s of a page and read()s, stage by stage, as the model tells them. Every event
// is one that apply() takes. Some page contents are stored and copied. `n` events at least.
std::vector<Event> written_by_model(std::size_t n, StringTable& strings, std::uint64_t seed = 1);
// What a live capture of vmsplice and splice looks like: calls, rings of `slots` slots at each exit, frame numbers, jitter.
std::vector<Event> captured(std::size_t n, StringTable& strings, std::uint32_t slots = 32, std::uint64_t seed = 1);
// Known kinds and stages, everything else arbitrary; in order of time.
std::vector<Event> arbitrary(std::size_t n, std::uint64_t seed = 1);

// The same with few tasks, pipes and pages, so that many of them fit what came before.
std::vector<Event> arbitrary_of_few(std::size_t n, std::uint64_t seed = 1);

// A file name of its own in the directory for temporary files; the file is removed at the end.
class TempFile {
public:
    TempFile();
    ~TempFile();
    TempFile(const TempFile&) = delete;
    TempFile& operator=(const TempFile&) = delete;
    const std::string& path() const { return path_; }
    std::string contents() const;
    void write(std::string_view bytes) const;

private:
    std::string path_;
};

} // namespace pipescope::test
