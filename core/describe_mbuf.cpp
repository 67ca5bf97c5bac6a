// SPDX-License-Identifier: MIT
// Text forms of chains and of the bytes that a card has fetched.
#include "core/describe.hpp"

namespace pipescope {

std::string runs_string(const std::vector<std::uint8_t>& b) {
    std::string out;
    for (std::size_t i = 0; i < b.size();) {
        std::size_t n = 1;
        while (i + n < b.size() && b[i + n] == b[i]) ++n;
        const bool plain = b[i] > 32 && b[i] < 127;
        out += (out.empty() ? "" : ", ") + (plain ? std::string(1, static_cast<char>(b[i])) : std::to_string(b[i])) + " x " + std::to_string(n);
        i += n;
    }
    return out;
}

std::string mbuf_packets_string(const State& s, MbufId packets) {
    const Mbufs& all = s.mbufs;
    std::string out;
    std::size_t n = 0;
    for (const MbufId packet : chain_of(all, packets, true)) {
        out += "packet " + std::to_string(++n) + ", " + std::to_string(chain_length(all, packet)) + " bytes: ";
        for (const MbufId m : chain_of(all, packet)) {
            const Mbuf& b = all.mbufs[m];
            out += b.flags & M_PKTHDR ? "[H " : "[";
            if (b.flags & M_EXT)
                out += "c" + std::to_string(b.cluster) + "@" + std::to_string(b.off) + "+" + std::to_string(b.len) + " x" +
                       std::to_string(all.clusters[b.cluster].refs);
            else out += std::to_string(b.len) + "/" + std::to_string(b.room());
            out += b.next == no_id ? "]\n" : "] -> ";
        }
    }
    return out;
}

} // namespace pipescope
