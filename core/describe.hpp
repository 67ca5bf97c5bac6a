// SPDX-License-Identifier: MIT
// Plain-text forms of rings, pages, flags and poll bits, as litmus cases and every view print them.
#pragma once
#include "core/state.hpp"
#include "core/strings.hpp"
#include <string>
#include <vector>

namespace pipescope {

// "head=2 tail=0 | 0:k1@0+100 M | 1:b[3]@0+4096"; k1, k2… in the order met in this string.
std::string ring_string(const State& s, const StringTable& names, PipeId pipe);
// "M", "P", "G L", "": letters M P G L A W, a blank between two.
std::string buf_flags_string(std::uint32_t flags);
// What a page is called in a view: "src[3]" by what maps it now, "z" the zero page, else "k" and its frame number.
std::string page_label(const State& s, const StringTable& names, PageId page);
// The buffer that maps `page` now, "b[3]", or the file that caches it, "f1[0]"; empty when none does. Scratch buffers do not count.
std::string page_user_name(const State& s, const StringTable& names, PageId page);
// A line a packet: "packet 1, 1472 bytes: [H 0/100] -> [c0@0+1472 x3]". H carries the packet header, n/100 and n/108 are bytes
// of an mbuf's own, c0@off+len is a part of cluster 0, which has 3 references. Packets are linked by m_nextpkt, mbufs by m_next.
std::string mbuf_packets_string(const State& s, MbufId packets);
// "A x 1400, 0 x 648": runs of equal bytes; a byte that is no letter as a number.
std::string runs_string(const std::vector<std::uint8_t>& bytes);
// "IN|HUP" for EPOLL bits, order IN OUT ERR HUP.
std::string poll_string(std::uint32_t revents);

} // namespace pipescope
