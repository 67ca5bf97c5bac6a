// SPDX-License-Identifier: MIT
// WHAT, below the ring: user buffers and kernel pages as strips of tiles, and a copy as a band from page to page.
#pragma once
#include "app/gui/paint.hpp"
#include "app/gui/scene.hpp"

namespace pipescope {

class MemoryView {
public:
    void draw(Scene& scene, Paint& p, const Rect& r);

private:
    struct Tile {
        PageId page = no_page;   // no_page: nothing is mapped there
        std::uint64_t index = 0; // in its strip
    };
    struct Strip {
        std::string name;
        std::uint64_t pages = 0;
        std::uint32_t buffer = no_id; // of State::buffers; no_id: a list of pages
        TaskId user_of = no_id;       // recordings: frames that this task maps
        std::vector<PageId> list;
        std::uint64_t wanted = ~std::uint64_t{0}; // the page that has to be among those shown
    };
    std::vector<Strip> strips(const Scene& scene) const;
    void draw_strip(Scene& scene, Paint& p, const Strip& strip, const Rect& r);
    void draw_tile(Scene& scene, Paint& p, const Strip& strip, const Tile& tile, const Rect& r);
    void draw_band(const Scene& scene, Paint& p, const Rect& r);
    Rect user_tile_, ring_tile_; // tiles of the running copy, where they are on screen
    Rect free_;                  // what the strip of the ring's pages leaves free behind it
};

} // namespace pipescope
