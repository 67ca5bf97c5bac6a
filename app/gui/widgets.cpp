// SPDX-License-Identifier: MIT
// The few widgets the window has, on ImGui's invisible button, each marked for the tests.
#include "app/gui/paint.hpp"
#include <algorithm>
#include <cmath>

namespace pipescope {

const Mark* Marks::find(const std::string& path) const {
    for (const Mark& m : list_)
        if (m.path == path) return &m;
    return nullptr;
}

Paint::Press Paint::area(const std::string& path, const Rect& r) {
    if (r.w < 1 || r.h < 1) return {};
    ImGui::SetCursorScreenPos({r.x, r.y});
    const bool clicked = ImGui::InvisibleButton(path.c_str(), {r.w, r.h});
    marks.add(path, r);
    return {clicked, ImGui::IsItemActive(), ImGui::IsItemHovered()};
}

bool Paint::button(const char* path, const Rect& r, std::string_view label, const ButtonLook& look) {
    ImGui::SetCursorScreenPos({r.x, r.y});
    const bool clicked = ImGui::InvisibleButton(path, {r.w, r.h}) && look.enabled;
    const bool hovered = ImGui::IsItemHovered() && look.enabled;
    marks.add(path, r, look.enabled);
    const Colour plain = look.filled ? theme.link : look.chosen ? theme.accent_soft : theme.card;
    rect(r, hovered ? mix(plain, theme.text, 0.12f) : plain, px(5));
    outline(r, theme.line, 1, px(5));
    const Colour ink = !look.enabled ? theme.faint : look.filled ? (theme.dark ? theme.on_fill : theme.on_accent) : theme.text;
    const float pad = px(4);
    text_in(look.face, r.x + pad, std::round(r.mid_y() - text_h(look.face) / 2), r.w - 2 * pad, ink, label, Align::centre);
    return clicked;
}

int Paint::tabs(const char* path, float x, float y, float w, const std::vector<std::string>& names, int chosen) {
    const float h = px(30), right = x + w;
    int result = chosen;
    for (int i = 0; i < static_cast<int>(names.size()); ++i) {
        const std::string& name = names[static_cast<std::size_t>(i)];
        const bool on = i == chosen;
        const Face face = on ? Face::strong : Face::body;
        const float tw = std::min(text_w(face, name) + px(16), right - x);
        if (tw < px(24)) break;
        const Press p = area(std::string(path) + "/" + name, {x, y, tw, h});
        if (p.clicked) result = i;
        text_in(face, x + px(8), y + px(6), tw - px(12), on || p.hovered ? theme.text : theme.muted, name);
        if (on) rect({x + px(4), y + h - px(2), tw - px(8), px(2)}, theme.link);
        x += tw;
    }
    return result;
}

void Paint::tip(std::string_view s) {
    ImGui::BeginTooltip();
    ImGui::PushFont(fonts[Face::body]);
    ImGui::TextUnformatted(s.data(), s.data() + s.size());
    ImGui::PopFont();
    ImGui::EndTooltip();
}

} // namespace pipescope
