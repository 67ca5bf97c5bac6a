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

namespace {

// What of a widget is in sight: a part of the window that scrolls cuts it.
Rect in_sight(const Rect& r) {
    const ImRect& clip = ImGui::GetCurrentWindow()->ClipRect;
    const float x = std::max(r.x, clip.Min.x), y = std::max(r.y, clip.Min.y);
    return {x, y, std::min(r.right(), clip.Max.x) - x, std::min(r.bottom(), clip.Max.y) - y};
}

} // namespace

void Paint::mark(const std::string& path, const Rect& r, bool enabled) {
    if (const Rect seen = in_sight(r); seen.w > 0 && seen.h > 0) marks.add(path, seen, enabled);
}

Paint::Press Paint::area(const std::string& path, const Rect& r) {
    if (r.w < 1 || r.h < 1) return {};
    ImGui::SetCursorScreenPos({r.x, r.y});
    const bool clicked = ImGui::InvisibleButton(path.c_str(), {r.w, r.h});
    mark(path, r);
    return {clicked, ImGui::IsItemActive(), ImGui::IsItemHovered()};
}

bool Paint::button(const char* path, const Rect& r, std::string_view label, const ButtonLook& look) {
    ImGui::SetCursorScreenPos({r.x, r.y});
    const bool clicked = ImGui::InvisibleButton(path, {r.w, r.h}) && look.enabled;
    const bool hovered = ImGui::IsItemHovered() && look.enabled;
    mark(path, r, look.enabled);
    const Colour plain = look.filled ? theme.link : look.chosen ? theme.accent_soft : theme.card;
    rect(r, hovered ? mix(plain, theme.text, 0.12f) : plain, px(5));
    outline(r, theme.line, 1, px(5));
    const Colour ink = !look.enabled ? theme.faint : look.filled ? (theme.dark ? theme.on_fill : theme.on_accent) : theme.text;
    const float pad = px(4);
    text_in(look.face, r.x + pad, std::round(r.mid_y() - text_h(look.face) / 2), r.w - 2 * pad, ink, label, Align::centre);
    return clicked;
}

// How many tabs each row takes.
std::vector<std::size_t> Paint::tab_rows(float w, const std::vector<std::string>& names, float pad) const {
    std::vector<std::size_t> rows{0};
    float x = 0;
    for (const std::string& name : names) {
        const float tw = text_w(Face::strong, name) + 2 * pad;
        if (x + tw > w && rows.back()) rows.push_back(0), x = 0;
        x += tw, ++rows.back();
    }
    return rows;
}

float Paint::tabs_h(float w, const std::vector<std::string>& names, const std::vector<std::string>& brief) const {
    return px(30) * static_cast<float>(std::min(tab_rows(w, names, px(8)).size(), tab_rows(w, brief, px(6)).size()));
}

int Paint::tabs(
    const char* path, float x, float y, float w, const std::vector<std::string>& names, int chosen, const std::vector<std::string>& brief) {
    const float h = px(30), left = x, right = x + w;
    float pad = px(8);
    std::vector<std::size_t> rows = tab_rows(w, names, pad);
    bool tight = false;
    if (brief.size() == names.size()) {
        const std::vector<std::size_t> fewer = tab_rows(w, brief, px(6));
        tight = fewer.size() < rows.size();
        if (tight) rows = fewer, pad = px(6);
    } else rows = {names.size()}; // one row; what finds no room is left out
    int result = chosen;
    std::size_t row = 0, in_row = 0;
    for (int i = 0; i < static_cast<int>(names.size()); ++i, ++in_row) {
        if (row + 1 < rows.size() && in_row == rows[row]) ++row, in_row = 0, x = left, y += h;
        const std::string& name = (tight ? brief : names)[static_cast<std::size_t>(i)];
        const bool on = i == chosen;
        const Face face = on ? Face::strong : Face::body;
        const float tw = std::min(text_w(face, name) + 2 * pad, right - x);
        if (tw < px(24)) break;
        const Press p = area(std::string(path) + "/" + names[static_cast<std::size_t>(i)], {x, y, tw, h});
        if (p.clicked) result = i;
        text_in(face, x + pad, y + px(6), tw - pad - px(2), on || p.hovered ? theme.text : theme.muted, name);
        if (on) rect({x + pad / 2, y + h - px(2), tw - pad, px(2)}, theme.link);
        x += tw;
    }
    return result;
}

bool Paint::input(const char* path, const Rect& r, std::string& text, const std::string& hint) {
    char line[1024] = {};
    text.copy(line, sizeof line - 1);
    ImFont* font = fonts[Face::mono];
    ImGui::PushFont(font);
    ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, {px(8), std::max((r.h - font->FontSize) / 2, 0.0f)});
    ImGui::PushStyleVar(ImGuiStyleVar_FrameRounding, px(4));
    ImGui::PushStyleVar(ImGuiStyleVar_FrameBorderSize, 1);
    ImGui::PushStyleColor(ImGuiCol_FrameBg, theme.dark ? theme.card : theme.well);
    ImGui::PushStyleColor(ImGuiCol_Border, theme.faint);
    ImGui::PushStyleColor(ImGuiCol_TextDisabled, theme.muted);
    ImGui::PushStyleColor(ImGuiCol_TextSelectedBg, mix(theme.card, theme.link, 0.4f));
    ImGui::SetCursorScreenPos({r.x, r.y});
    ImGui::SetNextItemWidth(r.w);
    const bool changed = ImGui::InputTextWithHint((std::string("##") + path).c_str(), hint.c_str(), line, sizeof line);
    ImGui::PopStyleColor(4);
    ImGui::PopStyleVar(3);
    ImGui::PopFont();
    mark(path, r);
    if (changed) text = line;
    return changed;
}

Paint::Scroll::Scroll(Paint& p, const char* id, const Rect& r) : p_(p), outer_(p.dl), end_(r.y) {
    ImGui::SetCursorScreenPos({r.x, r.y});
    child_begin(id, {r.w, r.h}, ImGuiWindowFlags_NoBackground);
    p.dl = ImGui::GetWindowDrawList();
    area_ = {r.x, ImGui::GetCursorScreenPos().y, ImGui::GetContentRegionAvail().x, r.h};
}

Paint::Scroll::~Scroll() {
    ImGui::SetCursorScreenPos({area_.x, end_});
    ImGui::Dummy({1, 1});
    ImGui::EndChild();
    p_.dl = outer_;
}

void Paint::tip(std::string_view s) {
    ImGui::BeginTooltip();
    ImGui::PushFont(fonts[Face::body]);
    ImGui::TextUnformatted(s.data(), s.data() + s.size());
    ImGui::PopFont();
    ImGui::EndTooltip();
}

} // namespace pipescope
