// SPDX-License-Identifier: MIT
// Strings by number, so that events and states stay plain.
#pragma once
#include "core/types.hpp"
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace pipescope {

class StringTable {
public:
    StringTable() : list_{""} { index_[""] = 0; }
    StringId intern(std::string_view s) {
        if (auto it = index_.find(std::string(s)); it != index_.end()) return it->second;
        list_.emplace_back(s);
        return index_[list_.back()] = static_cast<StringId>(list_.size() - 1);
    }
    // The empty string for a number that was never given out.
    const std::string& operator[](StringId id) const { return list_[id < list_.size() ? id : 0]; }
    const std::vector<std::string>& all() const { return list_; }

private:
    std::vector<std::string> list_;
    std::unordered_map<std::string, StringId> index_;
};

} // namespace pipescope
