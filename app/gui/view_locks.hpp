// SPDX-License-Identifier: MIT
// WHY, the locks: who has the mutex and who waits for it in which order, both wait queues, who woke whom, and what each task did.
#pragma once
#include "app/gui/paint.hpp"
#include "app/gui/scene.hpp"

namespace pipescope {

class LocksView {
public:
    void draw(Scene& scene, Paint& p, const Rect& r);

private:
    float draw_mutex(const Scene& scene, Paint& p, const Pipe& pipe, const Rect& at);
    float draw_queue(const Scene& scene, Paint& p, const char* name, const std::vector<WaitEntry>& q, const Rect& at);
    float draw_wakes(Scene& scene, Paint& p, const Rect& at);
    float draw_counters(const Scene& scene, Paint& p, const Rect& at);
};

} // namespace pipescope
