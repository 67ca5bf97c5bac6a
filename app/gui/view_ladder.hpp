// SPDX-License-Identifier: MIT
// WHY, the ladder: the cost profile, each rung as two bars, published and simulated, and where the chosen one's time goes.
#pragma once
#include "app/gui/paint.hpp"
#include "app/gui/scene.hpp"
#include "app/ladder_run.hpp"

namespace pipescope {

class LadderView {
public:
    void draw(Scene& scene, Paint& p, const Rect& r);

private:
    float draw_profiles(Scene& scene, Paint& p, const Rect& at);
    float draw_bars(Paint& p, const Rect& at);
    float draw_figures(Paint& p, const LadderBar& b, const Rect& at) const;
    std::optional<LadderRun> run_; // made when it is first looked at
    std::string path_;             // of its profile
    std::vector<ProfileFile> profiles_;
    std::size_t chosen_ = 2;       // vmsplice and splice
};

} // namespace pipescope
