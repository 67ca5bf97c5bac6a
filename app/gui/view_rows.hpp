// SPDX-License-Identifier: MIT
// A ring of more than 32 slots: rows of square cells, opaque and cheap to draw, in less detail the smaller they are.
#pragma once
#include "app/gui/paint.hpp"
#include "app/gui/scene.hpp"

namespace pipescope {

class RowsView {
public:
    void draw(Scene& scene, Paint& p, const Rect& r, PipeId id, std::uint32_t differs = no_id); // differs: a slot to point out

private:
    void draw_cell(const Scene& scene, Paint& p, const Pipe& pipe, std::uint32_t slot, const Rect& cell);
    void draw_text(Paint& p, const std::string& label, const std::string& where, const Rect& cell, const Rect& filled);
    void draw_group(const Scene& scene, Paint& p, const Pipe& pipe, std::uint32_t first, std::uint32_t count, const Rect& cell);
    float draw_facts(const Scene& scene, Paint& p, const Pipe& pipe, const Rect& r);
};

} // namespace pipescope
