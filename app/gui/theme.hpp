// SPDX-License-Identifier: MIT
// The colours of the window, dark and light: one accent for "now", one colour for each owner of a page.
#pragma once
#include "app/lanes.hpp"
#include "core/state.hpp"
#include <cstdint>

namespace pipescope {

using Colour = std::uint32_t; // as ImGui packs it: 0xAABBGGRR

constexpr Colour rgb(std::uint32_t hex) { return 0xff000000u | (hex & 0xffu) << 16 | (hex & 0xff00u) | (hex >> 16 & 0xffu); }
constexpr Colour with_alpha(Colour c, float a) { return (c & 0xffffffu) | static_cast<Colour>(a * 255.0f + 0.5f) << 24; }
// `part` of b over a, opaque.
Colour mix(Colour a, Colour b, float part);

struct Theme {
    bool dark = true;
    Colour panel = 0, stage = 0, card = 0, well = 0, line = 0;         // backgrounds, and the hairline between regions
    Colour text = 0, muted = 0, faint = 0, on_fill = 0, on_accent = 0; // text: plain, secondary, not reached yet, on page colours, on the accent
    Colour accent = 0, accent_soft = 0, link = 0, warn = 0, now = 0;
    Colour kernel = 0, user = 0, cache = 0, socket = 0, zero = 0;
    Colour lane_call = 0, lane_user = 0, lane_lock = 0, lane_empty = 0, lane_woken = 0, hatch = 0, curve = 0;

    Colour owner(PageOwner o) const;
    Colour lane(LaneKind k) const;
};
const Theme& theme(bool dark);

} // namespace pipescope
