// SPDX-License-Identifier: MIT
// Makes a call when it is asked to, and tells what was seen since it told last.
#include "sim/lockstep/kernel_half.hpp"
#include "sim/lockstep/player.hpp"
#include "sim/scenario/kernel_backend.hpp"
#include <algorithm>
#include <nlohmann/json.hpp>

namespace pipescope::lockstep {
namespace {

struct Half {
    Half(const std::string& path, const KernelVersion& v) : kernel(new KernelBackend(shared_ring_reader())), player(v, kernel) {
        Comparison& seen = player.shadow.seen;
        if (seen.why = kernel->unusable(); seen.why.empty()) player.load(path);
        seen.no_rings = kernel->unknown();
    }
    std::string answer();
    KernelBackend* const kernel; // goes with the process, and who sleeps in it too
    Player player;
    bool begun = false;
    std::size_t readings = 0, divergences = 0; // told
};

std::string Half::answer() {
    if (std::exchange(begun, true)) player.next();
    const Comparison& seen = player.shadow.seen;
    nlohmann::json j = {{"calls", seen.calls}, {"rings", seen.rings}, {"no_rings", seen.no_rings}, {"why", seen.why},
        {"events", player.model.timeline().size()}, {"readings", nlohmann::json::array()}, {"divergences", nlohmann::json::array()}};
    for (; readings < seen.readings.size(); ++readings) j["readings"].push_back({seen.readings[readings].event, seen.readings[readings].rings});
    for (; divergences < seen.divergences.size(); ++divergences) {
        const Divergence& d = seen.divergences[divergences];
        j["divergences"].push_back({d.event, d.pipe, d.slot, d.text});
    }
    return j.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

} // namespace

KernelProcess::Work kernel_half(const std::string& path, const KernelVersion& v) {
    const auto half = std::make_shared<Half>(path, v);
    return [half] { return half->answer(); };
}

bool take_answer(const std::string& answer, Comparison& out, std::size_t& events) {
    const nlohmann::json j = nlohmann::json::parse(answer, nullptr, false);
    try {
        out.calls = j.at("calls"), out.rings = j.at("rings"), out.no_rings = j.at("no_rings"), out.why = j.at("why");
        events = j.at("events");
        for (const auto& r : j.at("readings")) out.readings.push_back({r.at(0), r.at(1)});
        for (const auto& d : j.at("divergences")) out.divergences.push_back({d.at(0), d.at(1), d.at(2), d.at(3)});
    } catch (const nlohmann::json::exception&) {
        return false;
    }
    // A result that differs may belong to a call that ended earlier.
    std::stable_sort(out.divergences.begin(), out.divergences.end(), [](const Divergence& a, const Divergence& b) { return a.event < b.event; });
    return true;
}

} // namespace pipescope::lockstep
