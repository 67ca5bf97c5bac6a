// SPDX-License-Identifier: MIT
// A BSD's way to send: chains of mbufs from user memory or over clusters that the program filled, frames, and the card.
#pragma once
#include "core/kernel/kernel.hpp"

namespace pipescope::bsd {

// After sys/mbuf.h and uipc_mbuf.c. no_id: none is to be had.
MbufId m_get(KernelBase& k, TaskId me, std::uint32_t flags);                          // M_PKTHDR or 0
bool m_clget(KernelBase& k, TaskId me, MbufId m);                                     // gives it a cluster of its own
void m_freem(KernelBase& k, TaskId me, MbufId m);                                     // a whole chain
MbufId m_copym(KernelBase& k, TaskId me, MbufId from, std::uint32_t off, std::uint32_t len); // clusters are shared, small mbufs copied
void m_adj(KernelBase& k, TaskId me, MbufId m, std::uint32_t len);                    // cuts a chain off behind len bytes
MbufId m_prepend(KernelBase& k, TaskId me, MbufId m);                                 // one in front, for a protocol's header

// n clusters for a program, side by side in memory: the first, or no_id.
ClusterId take(KernelBase& k, TaskId me, std::uint32_t n);

// A datagram: Call::iov is the message; flags 0 to copy it, send_share to point at the clusters it lies in, which begin
// where it does. Bytes, or -EINVAL for shared memory that is no row of whole clusters' starts, -EFAULT, -ENOBUFS, -EMSGSIZE.
inline constexpr std::uint32_t send_share = 1;
Co<long> sendto(Kernel& k, TaskId me, const Call& c);
// The card fetches the first packet of its queue: bytes, or -EAGAIN.
Co<long> if_start(Kernel& k, TaskId me);

} // namespace pipescope::bsd
