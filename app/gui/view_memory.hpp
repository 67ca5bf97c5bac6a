// SPDX-License-Identifier: MIT
// WHAT, below the ring: the slots in a row, user buffers, kernel and file pages as strips of tiles, and what leads where.
#pragma once
#include "app/gui/paint.hpp"
#include "app/gui/scene.hpp"
#include "app/memory_strips.hpp"
#include <unordered_map>

namespace pipescope {

class MemoryView {
public:
    void draw(Scene& scene, Paint& p, const Rect& r);

private:
    struct Tile {
        PageId page = no_page;   // no_page: nothing is mapped there
        std::uint64_t index = 0; // in its strip
        Rect r;
    };
    struct Row { // a strip where it stands
        const MemoryStrip* strip = nullptr;
        Rect r;
        float label = 0;
        std::vector<Tile> tiles;
    };
    Row lay_out(const Scene& scene, Paint& p, const MemoryStrip& strip, const Rect& r) const;
    void draw_slots(Scene& scene, Paint& p, const Pipe& pipe, const Rect& r);
    void draw_links(const Scene& scene, Paint& p, const Pipe& pipe);
    void draw_row(Scene& scene, Paint& p, const Row& row);
    void draw_brackets(const Scene& scene, Paint& p, const Row& row);
    void draw_tile(Scene& scene, Paint& p, const Row& row, const Tile& tile);
    void take_click(Scene& scene, Paint& p, const Row& row, const Tile& tile);
    void draw_band(const Scene& scene, Paint& p, const Rect& r);
    void draw_reference(const Scene& scene, Paint& p, const Rect& r);

    std::vector<Rect> cells_;                  // of the slots; empty when they are not drawn
    std::unordered_map<PageId, Rect> tile_of_; // the first tile of each page on screen
    std::uint32_t hovered_slot_ = no_id;
    PageId hovered_page_ = no_page;
    Rect user_tile_, ring_tile_; // tiles of the running copy, where they are on screen
    Rect free_;                  // what the strip of the ring's pages leaves free behind it
};

} // namespace pipescope
