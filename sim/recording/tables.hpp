// SPDX-License-Identifier: MIT
// The names that a file gives to its numbers, and the translation into this program's numbers.
#pragma once
#include "core/event.hpp"
#include "sim/recording/bytes.hpp"
#include <optional>
#include <vector>

namespace pipescope::rec {

// The payload of the TABL chunk as this program writes it, and the low half of its checksum.
const std::string& own_tables();
std::uint32_t own_fingerprint();
std::uint32_t fingerprint(std::string_view tables);

// From a file's numbers to this program's; no_id for a name that it does not know.
struct NumberMap {
    std::vector<std::uint32_t> kinds, stages, calls, functions;
    bool same = false;           // the file counts as this program does
    std::uint8_t stage_kind = 0; // the file's number of EventKind::stage
    std::vector<std::string> kind_names, stage_names;

    // Translates in place. False with `fault` for a number or name that is not known.
    bool translate(Event& e, std::string& fault) const;
};
// Nothing with `fault` when the tables are not well formed.
std::optional<NumberMap> parse_tables(std::string_view payload, std::string& fault);

} // namespace pipescope::rec
