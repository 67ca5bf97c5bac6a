// SPDX-License-Identifier: MIT
// The typefaces: Inter for words, JetBrains Mono for figures, Font Awesome for the transport; ImGui's own where one is missing.
#pragma once
#include "app/gui/imgui_shim.hpp"
#include <array>

namespace pipescope {

enum class Face { body, strong, title, small, mono, mono_small, mono_strong, icon, count };

struct Fonts {
    std::array<ImFont*, static_cast<std::size_t>(Face::count)> face{};
    bool icons = false; // the icon font was found
    float scale = 0;
    ImFont* operator[](Face f) const { return face[static_cast<std::size_t>(f)]; }
};
// Clears and refills the context's atlas for a scale.
Fonts fonts_build(float scale);

// Code points of Font Awesome 4.7, and what stands for them where it is missing.
enum class Icon { first, back, play, pause, forward, last, close, count };
const char* icon_text(Icon i, bool have_icons);

} // namespace pipescope
