// SPDX-License-Identifier: MIT
// The forwarder's options in words.
#include "sim/live/forward_options.hpp"
#include <fmt/format.h>

namespace pipescope {

const char* forward_word(Forward how) {
    switch (how) {
    case Forward::copy: return "copy";
    case Forward::shared_pipe: return "shared";
    case Forward::shared_waiting: return "shared-waiting";
    case Forward::own_pipe: break;
    }
    return "own";
}

bool forward_of(const std::string& word, Forward& how) {
    for (const Forward f : {Forward::copy, Forward::shared_pipe, Forward::shared_waiting, Forward::own_pipe})
        if (word == forward_word(f)) return how = f, true;
    return false;
}

std::string ForwardOptions::text() const {
    std::string s = fmt::format("--forwarder {} --connections {} --bytes {}", forward_word(how), connections, bytes);
    if (pipe_size) s += fmt::format(" --pipe-size {}", pipe_size);
    return verify ? s + " --verify" : s;
}

std::string ForwardOptions::fault() const {
    if (connections < 1 || connections > most_connections)
        return fmt::format("--connections {}: between 1 and {} can be served", connections, most_connections);
    if (how == Forward::copy && pipe_size) return "--pipe-size: a forwarder that copies has no pipe";
    return "";
}

} // namespace pipescope
