// SPDX-License-Identifier: MIT
// WHY, the ledger: what had been done up to here, of one pipe or of all, and what the last step added.
#pragma once
#include "app/gui/paint.hpp"
#include "app/gui/scene.hpp"
#include "app/tally.hpp"

namespace pipescope {

class LedgerView {
public:
    void draw(Scene& scene, Paint& p, const Rect& r);

private:
    float draw_choice(Scene& scene, Paint& p, const Rect& at);
    float draw_group(const Scene& scene, Paint& p, const char* name, std::initializer_list<Count> list, const Rect& at);
    float draw_row(Paint& p, const std::string& name, const std::string& figure, const std::string& added, bool sub, const Rect& at);

    Tallies tallies_;
    Tally here_, before_; // at the position, and one step before it
    bool whole_ = true;   // of every pipe
};

} // namespace pipescope
