// SPDX-License-Identifier: MIT
// Geometry and text of the views as plain functions: the ring's arcs, the grid of a large ring, figures with their units.
#pragma once
#include "core/state.hpp"
#include "core/strings.hpp"
#include "sim/narrate.hpp"
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace pipescope {

struct Rect {
    float x = 0, y = 0, w = 0, h = 0;
    float right() const { return x + w; }
    float bottom() const { return y + h; }
    float mid_x() const { return x + w / 2; }
    float mid_y() const { return y + h / 2; }
    bool contains(float px, float py) const { return px >= x && px < right() && py >= y && py < bottom(); }
    Rect inset(float dx, float dy) const { return {x + dx, y + dy, w - 2 * dx, h - 2 * dy}; }
};

// Angles run clockwise from 12 o'clock, in radians.
struct Arc {
    float from = 0, to = 0;
    float mid() const { return (from + to) / 2; }
    float at(float part) const { return from + (to - from) * part; }
};
inline constexpr std::uint32_t ring_slots_max = 32; // larger rings are drawn as rows
// The arc of one slot; `gap` is what stays free between two, in radians.
Arc ring_arc(std::uint32_t slot, std::uint32_t slots, float gap);
// Slot under a point relative to the centre, no_id outside the annulus.
std::uint32_t ring_slot_at(float dx, float dy, float inner, float outer, std::uint32_t slots);

// Width of level text, centred at an angle and radius, that stays inside the arc between the two radii.
float ring_text_room(Arc a, float inner, float outer, float angle, float radius, float half_h);

// How one slot is divided, as parts of its whole width: consumed | filled | behind.
struct SlotFill {
    float from = 0, to = 0;         // the filled part
    bool dead_behind = false;       // the space behind can never be used: no later write may append there
    std::uint32_t span = page_size; // bytes the whole width stands for
};
SlotFill slot_fill(const Pipe& p, std::uint32_t index);
bool slot_live(const Pipe& p, std::uint32_t slot); // between tail and head, and filled in

// A large ring as rows of cells; several slots share a cell when there are more than fit.
struct Grid {
    std::uint32_t columns = 1, rows = 1, per_cell = 1;
    float cell_w = 0, cell_h = 0;
    Rect cell(const Rect& area, std::uint32_t slot) const;
};
Grid grid_layout(std::uint32_t slots, float w, float h, float min_cell);

// The regions of the window.
struct Regions {
    Rect toolbar, who, ring, memory, why, when;
    bool narrow = false; // WHY shares the middle with WHAT
};
Regions regions_layout(float w, float h, float scale);

// Tiles of a memory strip: which page comes first so that `wanted` is among those shown.
std::uint64_t strip_first(std::uint64_t pages, std::uint64_t shown, std::uint64_t wanted);

std::string digits_grouped(std::uint64_t n);                                            // 10542 → "10 542"
std::string time_text(std::uint64_t ns);                                                // "12.345 µs"
std::string time_span_text(std::uint64_t from, std::uint64_t to, std::uint64_t whole);  // "10.0 – 14.0 µs of 97.3"
std::string tick_text(std::uint64_t ns, std::uint64_t step_ns, std::uint64_t whole_ns); // in the unit that suits the whole
std::uint64_t tick_step(std::uint64_t span, int ticks);                                 // 1, 2 or 5 times a power of ten
std::string index_text(const Pipe& p, std::uint32_t index);                             // "11 & 7 = slot 3"

// Who is in which state, in words.
const char* run_text(const Task& t);
// "write(4, src + 4096, 10 000)" from a sys_enter event.
std::string call_text(const State& s, const StringTable& names, const Event& call);
// "10 000"; an errno by its name: "EAGAIN".
std::string result_text(std::int64_t result);

// Names of all pages that a buffer maps, looked up once a state instead of once a label.
class PageNames {
public:
    void rebuild(const State& s);
    std::string label(const State& s, const StringTable& names, PageId page) const;
    bool user(PageId page, std::uint32_t& buffer, std::uint32_t& index) const;

private:
    struct Place {
        std::uint32_t buffer = no_id, index = 0; // or the inode
        bool cached = false;                     // in the page cache of a file
    };
    void add_files(const State& s);
    bool find(PageId page, std::uint32_t& owner, std::uint32_t& index) const;
    std::vector<Place> place_;
};

std::vector<std::string_view> lines_split(std::string_view text);

} // namespace pipescope
