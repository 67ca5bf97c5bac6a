// SPDX-License-Identifier: MIT
// `ladder --mbufs`: UDP datagrams from BSD mbufs, copied from the user or in clusters shared with it.
#pragma once
#include <string>

namespace pipescope {

int ladder_mbufs(const std::string& profile_path, bool json); // the paper's rows; 0
int ladder_mbuf_chains(bool json); // the chains, and what becomes of messages whose sender breaks a rule; 0

} // namespace pipescope
