// SPDX-License-Identifier: MIT
// WHEN: what every task did over time, who had the mutex, how full the ring was, and where in the whole run that lies.
#pragma once
#include "app/gui/paint.hpp"
#include "app/gui/scene.hpp"

namespace pipescope {

class WhenView {
public:
    void draw(Scene& scene, Paint& p, const Rect& r);

private:
    struct Axis { // the visible window, in nanoseconds or events
        double from = 0, to = 1;
        Rect area;
        float x(double v) const { return area.x + static_cast<float>((v - from) / (to - from)) * area.w; }
        double at(float px) const { return from + static_cast<double>((px - area.x) / area.w) * (to - from); }
    };
    void follow(const Scene& scene);
    void draw_header(Scene& scene, Paint& p, const Rect& r);
    void draw_lane(const Scene& scene, Paint& p, const Lane& lane, const Rect& r, bool mutex);
    void draw_wakes(const Scene& scene, Paint& p, float top, float unit);
    void draw_slots(const Scene& scene, Paint& p, const Rect& r);
    void draw_coming(const Scene& scene, Paint& p, const Rect& r);
    void draw_ticks(Paint& p, const Rect& r);
    void draw_partings(Scene& scene, Paint& p, const Rect& r);
    void draw_differences(Scene& scene, Paint& p, const Rect& r);
    double at_event(const Scene& scene, std::size_t n) const; // a position on the axis
    void draw_overview(Scene& scene, Paint& p, const Rect& r);
    void take_input(Scene& scene, Paint& p, const Rect& lanes);
    void seek_to(Scene& scene, double at) const;
    Colour lane_colour(const Paint& p, std::uint32_t value, bool mutex) const;

    Axis axis_;
    std::vector<TaskId> rows_; // tasks that have a lane
    double span_ = 0;          // 0: not chosen yet
    double whole_ = 1;         // the end of the run
    double made_ = 1;          // … in step: of what has been made; the rest is room for what comes
    double cursor_ = 0;
    std::size_t seen_n_ = ~std::size_t{0};
    bool by_event_ = false;
};

} // namespace pipescope
