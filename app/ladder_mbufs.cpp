// SPDX-License-Identifier: MIT
// Prints the paper's tables beside the simulated ones, the chains of both ways to send, and what breaking their rules does.
#include "app/ladder_mbufs.hpp"
#include "sim/mbuf/send.hpp"
#include "sim/mbuf/show.hpp"
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace pipescope {

int ladder_mbuf_chains(bool json) {
    nlohmann::ordered_json chains = nlohmann::ordered_json::array(), rules = chains;
    for (const std::uint32_t bytes : {150u, 1400u, 5120u}) {
        const bsd::Chains c = bsd::chains_of(bytes);
        chains.push_back({{"bytes", bytes}, {"copied", c.copied}, {"copied_frames", c.copied_frames}, {"shared", c.shared}, {"shared_frames", c.shared_frames}});
        if (!json)
            fmt::print("{} bytes\n copied from the user\n{} cut into frames\n{} from the user's clusters\n{} cut into frames\n{}\n", bytes, c.copied,
                c.copied_frames, c.shared, c.shared_frames);
    }
    if (!json) fmt::print("H: packet header; n/108: bytes of the mbuf's own; c0@off+len: part of cluster 0; x3: its references\n");
    for (const bsd::Violation& v : bsd::violations()) {
        nlohmann::ordered_json messages = nlohmann::ordered_json::array();
        if (!json) fmt::print("\nRule: {}. Broken: {}.\n  {:12} {:20} {}\n", v.rule, v.broken, "meant", "received, copied", "received, shared");
        for (const bsd::Delivery& d : v.messages) {
            messages.push_back({{"meant", d.meant}, {"copied", d.copied}, {"shared", d.shared}});
            if (!json) fmt::print("  {:12} {:20} {}{}\n", d.meant, d.copied, d.shared, d.shared == d.meant ? "" : "   <- not what was meant");
        }
        rules.push_back({{"rule", v.rule}, {"broken", v.broken}, {"messages", messages}});
    }
    if (json) fmt::print("{}\n", nlohmann::ordered_json{{"chains", chains}, {"violations", rules}}.dump(2));
    return 0;
}

int ladder_mbufs(const std::string& profile_path, bool json) {
    const bsd::Costs costs = bsd::costs_load(profile_path);
    nlohmann::ordered_json list = nlohmann::ordered_json::array();
    if (!json) fmt::print("{:>8} {:>9} {:>26} {:>26} {:>24}\n", "", "", "published, ticks", "simulated, ticks", "improvement");
    if (!json)
        fmt::print("{:>8} {:>9} {:>13} {:>12} {:>13} {:>12} {:>12} {:>11}\n", "bytes", "messages", "copied", "shared", "copied", "shared",
            "published", "simulated");
    for (const bsd::Measured& m : bsd::measured()) {
        const bsd::Measured s = bsd::simulate(costs, m.bytes, m.messages);
        list.push_back({{"bytes", m.bytes}, {"messages", m.messages}, {"published_before_ticks", m.before}, {"published_after_ticks", m.after},
            {"simulated_before_ticks", s.before}, {"simulated_after_ticks", s.after}, {"published_improvement", m.improvement()},
            {"simulated_improvement", s.improvement()}});
        if (!json)
            fmt::print("{:8} {:9} {:13.0f} {:12.0f} {:13.0f} {:12.0f} {:10.1f} % {:9.1f} %\n", m.bytes, m.messages, m.before, m.after, s.before,
                s.after, m.improvement() * 100, s.improvement() * 100);
    }
    if (json) fmt::print("{}\n", nlohmann::ordered_json{{"rows", list}}.dump(2));
    return 0;
}

} // namespace pipescope
