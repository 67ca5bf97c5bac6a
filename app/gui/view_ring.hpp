// SPDX-License-Identifier: MIT
// WHAT: the ring of one pipe, as an annulus up to 32 slots, with head and tail and who has or wants it.
#pragma once
#include "app/gui/paint.hpp"
#include "app/gui/scene.hpp"
#include "app/gui/view_rows.hpp"

namespace pipescope {

class RingView {
public:
    void draw(Scene& scene, Paint& p, const Rect& r);

private:
    float draw_header(Scene& scene, Paint& p, const Rect& r, PipeId id);
    static bool fits_round(const Pipe& pipe, const Paint& p, const Rect& r);
    Rect draw_legend(bool round, Paint& p, const Rect& r);
    void draw_annulus(Scene& scene, Paint& p, const Rect& r, PipeId id, const Rect& legend);
    void draw_slot(const Scene& scene, Paint& p, const Pipe& pipe, std::uint32_t slot);
    void draw_slot_text(const Scene& scene, Paint& p, const Pipe& pipe, std::uint32_t slot);
    // Level text centred on a point of the ring; false, and nothing drawn, when it is wider than the room.
    bool level_text(Paint& p, Face f, float angle, float radius, float dy, Colour c, std::string_view s, float room) const;
    void draw_pointers(Paint& p, const Pipe& pipe, const Rect& r, const Rect& legend);
    void draw_middle(const Scene& scene, Paint& p, const Pipe& pipe);

    bool roomy(const Paint& p) const { return inner_ > p.px(98); } // the middle takes more than the mutex
    float cx_ = 0, cy_ = 0, outer_ = 0, inner_ = 0, gap_ = 0;
    std::uint32_t differs_ = no_id; // the first slot in which the model and the kernel part
    RowsView rows_;
};

// What all ring views say about a slot, for its tip.
std::string slot_tip(const Scene& scene, const Pipe& pipe, std::uint32_t slot);

} // namespace pipescope
