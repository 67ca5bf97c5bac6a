// SPDX-License-Identifier: MIT
// WHY, the log: every event around the position; a click goes there. Holds its own window on the list, however long that is.
#pragma once
#include "app/gui/paint.hpp"
#include "app/gui/scene.hpp"
#include <unordered_map>

namespace pipescope {

class EventsView {
public:
    // Puts the visible rows into words, each at its own state; must run before the frame takes its state.
    void prepare(Document& doc, std::size_t position);
    void draw(Scene& scene, Paint& p, const Rect& r);

private:
    void draw_row(Scene& scene, Paint& p, std::size_t i, const Rect& row);
    void draw_bar(Scene& scene, Paint& p, const Rect& r);
    float task_w_ = 0; // of the column of names
    double top_ = 0;   // first row shown
    std::size_t rows_ = 0, seen_position_ = ~std::size_t{0};
    std::unordered_map<std::size_t, std::string> words_;
};

} // namespace pipescope
