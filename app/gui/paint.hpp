// SPDX-License-Identifier: MIT
// What the views draw with: text that never leaves its box, opaque rectangles, arcs, hatching, and a few plain widgets.
#pragma once
#include "app/gui/fonts.hpp"
#include "app/gui/marks.hpp"
#include "app/gui/theme.hpp"
#include "app/layout.hpp"
#include <array>
#include <string>
#include <string_view>

namespace pipescope {

enum class Align { left, centre, right };
struct ButtonLook {
    Face face = Face::body;
    bool filled = false; // in the accent of links
    bool enabled = true;
    bool chosen = false;
};

class Paint {
public:
    Paint(const Theme& t, const Fonts& f, Marks& m, float scale) : theme(t), fonts(f), marks(m), k(scale) {}
    const Theme& theme;
    const Fonts& fonts;
    Marks& marks;
    const float k; // scale; px() turns a size of the drawing into pixels
    ImDrawList* dl = nullptr;
    float px(float v) const;

    float text_w(Face f, std::string_view s) const;
    float text_h(Face f) const { return fonts[f]->FontSize; }
    // Draws at the left top corner and gives the x behind it.
    float text(Face f, float x, float y, Colour c, std::string_view s);
    // Draws within `w`, cut with an ellipsis where it is too long; gives the width drawn.
    float text_in(Face f, float x, float y, float w, Colour c, std::string_view s, Align a = Align::left);
    // Breaks at blanks into lines of `w`; gives the height. With `draw` false it only measures.
    float text_wrapped(Face f, float x, float y, float w, Colour c, std::string_view s, int max_lines = 99, bool draw = true);

    void rect(const Rect& r, Colour c, float round = 0);
    void outline(const Rect& r, Colour c, float thick = 1, float round = 0);
    void line(float x0, float y0, float x1, float y1, Colour c, float thick = 1);
    void hatch(const Rect& r, Colour c, float gap = 6);
    void wedge(float cx, float cy, float r0, float r1, Arc a, Colour c);
    void wedge_outline(float cx, float cy, float r0, float r1, Arc a, Colour c, float thick);
    void wedge_hatch(float cx, float cy, float r0, float r1, Arc a, Colour c, float gap = 7);
    // The band of a copy along a cubic curve, from where the bytes come; `motion` is the part that has arrived, 0 to 1.
    void band(const std::array<ImVec2, 4>& curve, float motion);
    void pill(const Rect& r, Colour fill, Colour edge);
    // A small capital heading as each region has one; gives the x behind it.
    float heading(float x, float y, std::string_view s);

    bool button(const char* path, const Rect& r, std::string_view label, const ButtonLook& look = {});
    // An area that can be clicked or dragged; nothing is drawn.
    struct Press {
        bool clicked = false, held = false, hovered = false;
    };
    Press area(const std::string& path, const Rect& r);
    // Tabs; gives the one chosen. With `brief` names, which stand where the plain ones do not fit, they may take several rows.
    int tabs(
        const char* path, float x, float y, float w, const std::vector<std::string>& names, int chosen, const std::vector<std::string>& brief = {});
    float tabs_h(float w, const std::vector<std::string>& names, const std::vector<std::string>& brief) const;
    // A line of text to type in, with `hint` while it is empty; true when it has changed.
    bool input(const char* path, const Rect& r, std::string& text, const std::string& hint);
    // The mark of a page's owner, which tells it without its colour.
    void owner_mark(PageOwner o, float cx, float cy, float size, Colour c);
    // A page as a small swatch with its mark, for legends.
    void swatch(PageOwner o, const Rect& r);
    void tip(std::string_view s); // a hint beside the pointer

    // Draws into a part of the window that scrolls, until the guard goes; y() is where its content begins.
    class Scroll {
    public:
        Scroll(Paint& p, const char* id, const Rect& r);
        ~Scroll();
        Scroll(const Scroll&) = delete;
        Scroll& operator=(const Scroll&) = delete;
        Rect area() const { return area_; } // as wide as the content may be
        void end_at(float y) { end_ = y; }  // where the content ends

    private:
        Paint& p_;
        ImDrawList* outer_;
        Rect area_;
        float end_;
    };

private:
    void mark(const std::string& path, const Rect& r, bool enabled = true);
    int wedge_points(float r, Arc a) const;
    std::vector<std::size_t> tab_rows(float w, const std::vector<std::string>& names, float pad) const;
};

} // namespace pipescope
