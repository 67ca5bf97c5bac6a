// SPDX-License-Identifier: MIT
// Records the built-in pair with the best capture that is to be had.
#pragma once
#include "sim/live/event_stream.hpp"
#include "sim/live/pair.hpp"

namespace pipescope {

struct RecordOptions : RecordWish {
    PairOptions pair;
};

// False with `error`, one sentence, when there is no recording.
bool record_pair(const RecordOptions& options, const RecordTarget& target, RecordSummary& summary, std::string& error);

} // namespace pipescope
