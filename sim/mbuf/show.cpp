// SPDX-License-Identifier: MIT
// Chains as text, and two programs that use shared clusters wrongly.
#include "sim/mbuf/show.hpp"
#include "sim/mbuf/send.hpp"
#include <algorithm>
#include <fmt/format.h>

namespace pipescope::bsd {
namespace {

constexpr std::uint32_t message = 1400; // bytes

using Bytes = std::vector<std::uint8_t>;

std::string runs(const Bytes& b) {
    std::string out;
    for (std::size_t i = 0; i < b.size();) {
        std::size_t n = 1;
        while (i + n < b.size() && b[i + n] == b[i]) ++n;
        out += fmt::format("{}{} x {}", out.empty() ? "" : ", ", b[i] ? std::string(1, static_cast<char>(b[i])) : "0", n);
        i += n;
    }
    return out;
}

Bytes fetch(Pool& p, MbufId packets) { // what the card reads when it is its turn
    Bytes out;
    for (MbufId packet = packets; packet != none; packet = p.at(packet).nextpkt)
        for (MbufId m = packet; m != none; m = p.at(m).next) {
            const auto part = p.data(m);
            out.insert(out.end(), part.begin(), part.end());
        }
    transmitted(p, packets);
    return out;
}

// The range that a program sees: its clusters one behind the other.
void store(Pool& p, const std::vector<ClusterId>& mine, std::uint32_t at, char letter) {
    for (std::uint32_t i = at; i < at + message; ++i) p.cluster(mine[i / mclbytes])[i % mclbytes] = static_cast<std::uint8_t>(letter);
}

// Two messages from one place, the second stored while the first still waits for the card.
Violation reused() {
    Violation v{"the buffer is not reused at once", "a second message is stored where the first one waits for the card", {}};
    Pool p(8);
    const std::vector<ClusterId> mine = p.take(1);
    const Bytes a(message, 'A'), b(message, 'B');
    const MbufId copied[] = {udp_send(p, sosend_copy(p, a)), udp_send(p, sosend_copy(p, b))};
    MbufId shared[2];
    for (const int i : {0, 1}) {
        store(p, mine, 0, i ? 'B' : 'A');
        shared[i] = udp_send(p, sosend_share(p, mine, message));
    }
    for (const int i : {0, 1}) v.messages.push_back({runs(i ? b : a), runs(fetch(p, copied[i])), runs(fetch(p, shared[i]))});
    return v;
}

// Messages stored one right behind the other; but what an mbuf points at is a cluster, from its start.
Violation packed() {
    Violation v{"the buffer is divided in units of 2 KiB", "three messages are stored one right behind the other, 1400 bytes apart", {}};
    Pool p(8);
    const std::vector<ClusterId> mine = p.take(3);
    for (std::uint32_t i = 0; i < 3; ++i) store(p, mine, i * message, static_cast<char>('A' + i));
    for (std::uint32_t i = 0; i < 3; ++i) {
        const Bytes meant(message, static_cast<std::uint8_t>('A' + i));
        const Bytes copied = fetch(p, udp_send(p, sosend_copy(p, meant)));
        v.messages.push_back({runs(meant), runs(copied), runs(fetch(p, udp_send(p, sosend_share(p, std::span(mine).subspan(i, 1), message))))});
    }
    return v;
}

} // namespace

std::string packets_text(const Pool& pool, MbufId packets) {
    std::string out;
    for (std::uint32_t n = 1; packets != none; packets = pool.at(packets).nextpkt, ++n) {
        out += fmt::format("packet {}, {} bytes: ", n, pool.length(packets));
        for (MbufId m = packets; m != none; m = pool.at(m).next) {
            const Mbuf& b = pool.at(m);
            const char* header = b.flags & M_PKTHDR ? "H " : "";
            if (b.flags & M_EXT) out += fmt::format("[{}c{}@{}+{} x{}]", header, b.cluster, b.off, b.len, pool.references(b.cluster));
            else out += fmt::format("[{}{}/{}]", header, b.len, b.flags & M_PKTHDR ? mhlen : mlen);
            out += b.next == none ? "\n" : " -> ";
        }
    }
    return out;
}

Chains chains_of(std::uint32_t bytes) {
    Chains c{bytes, {}, {}, {}, {}};
    Pool p(64);
    const std::vector<ClusterId> mine = p.take((bytes + mclbytes - 1) / mclbytes);
    const MbufId copied = sosend_copy(p, Bytes(bytes, 'X')), shared = sosend_share(p, mine, bytes);
    c.copied = packets_text(p, copied);
    c.copied_frames = packets_text(p, udp_send(p, copied));
    c.shared = packets_text(p, shared);
    c.shared_frames = packets_text(p, udp_send(p, shared));
    return c;
}

std::vector<Violation> violations() { return {reused(), packed()}; }

} // namespace pipescope::bsd
