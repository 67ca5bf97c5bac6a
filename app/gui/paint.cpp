// SPDX-License-Identifier: MIT
// Text and shapes.
#include "app/gui/paint.hpp"
#include <algorithm>
#include <cmath>

namespace pipescope {
namespace {

constexpr const char* ellipsis = "…";

ImVec2 on_circle(float cx, float cy, float r, float angle) { return {cx + r * std::sin(angle), cy - r * std::cos(angle)}; }
ImFont* font_of(const Fonts& f, Face face) { return f[face]; }

// Bytes of the longest beginning that is at most w wide, ending at a whole character.
std::size_t fitting(ImFont* font, std::string_view s, float w) {
    const char* rest = nullptr;
    font->CalcTextSizeA(font->FontSize, w, 0.0f, s.data(), s.data() + s.size(), &rest);
    return rest ? static_cast<std::size_t>(rest - s.data()) : s.size();
}

} // namespace

float Paint::px(float v) const { return std::round(v * k); }

float Paint::text_w(Face f, std::string_view s) const {
    ImFont* font = font_of(fonts, f);
    return font->CalcTextSizeA(font->FontSize, FLT_MAX, 0.0f, s.data(), s.data() + s.size()).x;
}

float Paint::text(Face f, float x, float y, Colour c, std::string_view s) {
    ImFont* font = font_of(fonts, f);
    dl->AddText(font, font->FontSize, {std::round(x), std::round(y)}, c, s.data(), s.data() + s.size());
    return x + text_w(f, s);
}

float Paint::text_in(Face f, float x, float y, float w, Colour c, std::string_view s, Align a) {
    if (w <= 0 || s.empty()) return 0;
    ImFont* font = font_of(fonts, f);
    const float whole = text_w(f, s);
    if (whole <= w + 0.5f) {
        const float shift = a == Align::left ? 0 : a == Align::centre ? (w - whole) / 2 : w - whole;
        text(f, x + shift, y, c, s);
        return whole;
    }
    const float dots = text_w(f, ellipsis);
    if (dots > w) return 0;
    std::string_view head = s.substr(0, fitting(font, s, w - dots));
    while (!head.empty() && head.back() == ' ') head.remove_suffix(1);
    const float behind = text(f, x, y, c, head);
    text(f, behind, y, c, ellipsis);
    return behind + dots - x;
}

float Paint::text_wrapped(Face f, float x, float y, float w, Colour c, std::string_view s, int max_lines, bool draw) {
    ImFont* font = font_of(fonts, f);
    const float step = std::round(font->FontSize * 1.35f);
    float height = 0;
    for (int n = 0; n < max_lines && !s.empty(); ++n) {
        const char* end = font->CalcWordWrapPositionA(1.0f, s.data(), s.data() + s.size(), w);
        std::size_t len = static_cast<std::size_t>(end - s.data());
        if (len == 0) len = 1;
        if (draw) text_in(f, x, y + height, w, c, n + 1 == max_lines ? s : s.substr(0, len));
        s.remove_prefix(std::min(len, s.size()));
        while (!s.empty() && (s.front() == ' ' || s.front() == '\n')) s.remove_prefix(1);
        height += step;
    }
    return height;
}

void Paint::rect(const Rect& r, Colour c, float round) {
    if (r.w <= 0 || r.h <= 0) return;
    dl->AddRectFilled({r.x, r.y}, {r.right(), r.bottom()}, c, round);
}
void Paint::outline(const Rect& r, Colour c, float thick, float round) { dl->AddRect({r.x, r.y}, {r.right(), r.bottom()}, c, round, 0, thick); }
void Paint::line(float x0, float y0, float x1, float y1, Colour c, float thick) { dl->AddLine({x0, y0}, {x1, y1}, c, thick); }

void Paint::hatch(const Rect& r, Colour c, float gap) {
    gap = std::max(px(gap), 3.0f);
    // Lines x + y = const, cut to the rectangle; the phase hangs on the screen so that neighbours join.
    for (float d = std::ceil((r.x + r.y) / gap) * gap; d < r.right() + r.bottom(); d += gap) {
        const float x0 = std::max(r.x, d - r.bottom()), x1 = std::min(r.right(), d - r.y);
        if (x1 - x0 > 0.5f) line(x0, d - x0, x1, d - x1, c, 1);
    }
}

int Paint::wedge_points(float r, Arc a) const { return std::max(2, static_cast<int>(std::fabs(a.to - a.from) * r / 4.0f) + 1); }

void Paint::wedge(float cx, float cy, float r0, float r1, Arc a, Colour c) {
    if (a.to - a.from < 1e-4f) return;
    // Quads: the whole outline is not convex, which ImGui's filler asks for. Pieces overlap nothing, so no seam is
    // antialiased twice: fill without antialiasing and lay a thin antialiased edge around.
    const int n = wedge_points(r1, a);
    const ImDrawListFlags flags = dl->Flags;
    dl->Flags &= ~ImDrawListFlags_AntiAliasedFill;
    for (int i = 0; i < n; ++i) {
        const float p = a.at(static_cast<float>(i) / static_cast<float>(n)), q = a.at(static_cast<float>(i + 1) / static_cast<float>(n));
        dl->AddQuadFilled(on_circle(cx, cy, r0, p), on_circle(cx, cy, r1, p), on_circle(cx, cy, r1, q), on_circle(cx, cy, r0, q), c);
    }
    dl->Flags = flags;
    wedge_outline(cx, cy, r0, r1, a, c, 1);
}

void Paint::wedge_outline(float cx, float cy, float r0, float r1, Arc a, Colour c, float thick) {
    const int n = wedge_points(r1, a);
    for (int i = 0; i <= n; ++i) dl->PathLineTo(on_circle(cx, cy, r1, a.at(static_cast<float>(i) / static_cast<float>(n))));
    for (int i = n; i >= 0; --i) dl->PathLineTo(on_circle(cx, cy, r0, a.at(static_cast<float>(i) / static_cast<float>(n))));
    dl->PathStroke(c, ImDrawFlags_Closed, thick);
}

void Paint::wedge_hatch(float cx, float cy, float r0, float r1, Arc a, Colour c, float gap) {
    if (a.to - a.from < 1e-3f) return;
    const int n = wedge_points(r1, a);
    ImVector<ImVec2> shape;
    for (int i = 0; i <= n; ++i) shape.push_back(on_circle(cx, cy, r1, a.at(static_cast<float>(i) / static_cast<float>(n))));
    for (int i = n; i >= 0; --i) shape.push_back(on_circle(cx, cy, r0, a.at(static_cast<float>(i) / static_cast<float>(n))));
    float lo = FLT_MAX, hi = -FLT_MAX;
    for (const ImVec2& p : shape) lo = std::min(lo, p.x + p.y), hi = std::max(hi, p.x + p.y);
    gap = std::max(px(gap), 3.0f);
    for (float d = std::ceil(lo / gap) * gap; d < hi; d += gap) { // even-odd along each line x + y = d
        ImVector<float> cuts;
        for (int i = 0; i < shape.Size; ++i) {
            const ImVec2 p = shape[i], q = shape[(i + 1) % shape.Size];
            const float dp = p.x + p.y - d, dq = q.x + q.y - d;
            if ((dp < 0) != (dq < 0)) cuts.push_back(p.x + (q.x - p.x) * dp / (dp - dq));
        }
        std::sort(cuts.begin(), cuts.end());
        for (int i = 0; i + 1 < cuts.Size; i += 2) line(cuts[i], d - cuts[i], cuts[i + 1], d - cuts[i + 1], c, 1);
    }
}

void Paint::band(const std::array<ImVec2, 4>& curve, float motion) {
    const auto at = [&](float t) {
        const float u = 1 - t, a = u * u * u, b = 3 * u * u * t, c = 3 * u * t * t, d = t * t * t;
        return ImVec2(a * curve[0].x + b * curve[1].x + c * curve[2].x + d * curve[3].x, a * curve[0].y + b * curve[1].y + c * curve[2].y + d * curve[3].y);
    };
    constexpr int pieces = 24;
    for (int i = 0; i < pieces; ++i) { // what has arrived, and the way that is left
        const float s = static_cast<float>(i) / pieces;
        dl->AddLine(at(s), at(s + 1.0f / pieces), mix(theme.stage, theme.accent, s < motion ? 0.85f : 0.3f), px(9));
    }
    const float length = std::hypot(curve[0].x - curve[3].x, curve[0].y - curve[3].y), gap = px(15) / std::max(length, 1.0f);
    for (float s = std::fmod(0.5f + 3 * motion, 1.0f) * gap; s < motion; s += gap) { // arrows that go with the bytes
        const ImVec2 a = at(std::max(s - 0.01f, 0.0f)), b = at(std::min(s + 0.01f, 1.0f)), m = at(s);
        const float n = std::max(std::hypot(b.x - a.x, b.y - a.y), 0.001f), dx = (b.x - a.x) / n * px(4), dy = (b.y - a.y) / n * px(4);
        dl->AddTriangleFilled({m.x + dx, m.y + dy}, {m.x - dx - dy, m.y - dy + dx}, {m.x - dx + dy, m.y - dy - dx}, theme.stage);
    }
}

void Paint::pill(const Rect& r, Colour fill, Colour edge) {
    rect(r, fill, r.h / 2);
    if (edge != fill) outline(r, edge, 1, r.h / 2);
}

void Paint::owner_mark(PageOwner o, float cx, float cy, float size, Colour c) {
    const float h = size / 2;
    switch (o) {
    case PageOwner::kernel:
    case PageOwner::table: rect({cx - h * 0.85f, cy - h * 0.85f, h * 1.7f, h * 1.7f}, c); break;
    case PageOwner::user: dl->AddCircleFilled({cx, cy}, h, c, 12); break;
    case PageOwner::page_cache: dl->AddTriangleFilled({cx - h, cy + h * 0.8f}, {cx, cy - h}, {cx + h, cy + h * 0.8f}, c); break;
    case PageOwner::socket: dl->AddQuadFilled({cx, cy - h * 1.2f}, {cx + h * 1.2f, cy}, {cx, cy + h * 1.2f}, {cx - h * 1.2f, cy}, c); break;
    case PageOwner::zero: dl->AddCircle({cx, cy}, h * 0.9f, c, 12, std::max(size * 0.24f, 1.0f)); break;
    case PageOwner::unknown:
    case PageOwner::free:
        line(cx - h, cy - h, cx + h, cy + h, c, std::max(size * 0.2f, 1.0f));
        line(cx - h, cy + h, cx + h, cy - h, c, std::max(size * 0.2f, 1.0f));
        break;
    }
}

void Paint::swatch(PageOwner o, const Rect& r) {
    rect(r, theme.owner(o), px(2));
    owner_mark(o, r.mid_x(), r.mid_y(), r.h * 0.5f, theme.on_fill);
}

float Paint::heading(float x, float y, std::string_view s) {
    for (const char& c : s) x = text(Face::strong, x, y, theme.muted, {&c, 1}) + px(1.2f); // letters set apart
    return x;
}

} // namespace pipescope
