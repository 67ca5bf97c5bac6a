// SPDX-License-Identifier: MIT
// Where the widgets of the last frame were, by path, so that a test can click what a person would.
#pragma once
#include "app/layout.hpp"
#include <string>
#include <vector>

namespace pipescope {

struct Mark {
    std::string path; // "transport/forward"
    Rect rect;
    bool enabled = true;
};

class Marks {
public:
    void clear() { list_.clear(); }
    void add(std::string path, const Rect& r, bool enabled = true) { list_.push_back({std::move(path), r, enabled}); }
    const Mark* find(const std::string& path) const;
    const std::vector<Mark>& all() const { return list_; }

private:
    std::vector<Mark> list_;
};

} // namespace pipescope
