// SPDX-License-Identifier: MIT
// Draws the choice of who goes next, and the way back.
#include "app/gui/view_branch.hpp"
#include <algorithm>
#include <fmt/format.h>

namespace pipescope {
namespace {

// "after 283 reader, after 300 writer"; the last ones where there are many.
std::string choices_text(const Scene& scene) {
    const Schedule& all = scene.doc.schedule();
    constexpr std::size_t most = 3;
    std::string out;
    for (std::size_t i = all.size() > most ? all.size() - most : 0; i < all.size(); ++i)
        out += (out.empty() ? (all.size() > most ? "… " : "") : ", ") +
               fmt::format("after {} {}", digits_grouped(all[i].after), task_label(scene.timeline.state(), scene.names, all[i].task));
    return out;
}

} // namespace

float BranchView::draw(Scene& scene, Paint& p, const Rect& who) {
    if (scene.doc.recorded() || scene.doc.in_step()) return 0; // the order is that of what was run
    const char* words = "who next?";
    const float w = p.text_w(Face::small, words) + p.px(20), pad = p.px(12);
    if (p.button("branch/ask", {who.right() - pad - w, who.y + p.px(9), w, p.px(24)}, words, {Face::small, false, true, scene.crossroads->open}))
        scene.sel.command = Command::choose;
    float y = who.y + p.px(38);
    if (scene.branch || !scene.doc.schedule().empty()) y += draw_branch(scene, p, {who.x + pad, y, who.w - 2 * pad, 0}) + p.px(8);
    if (scene.crossroads->open) y += draw_choice(scene, p, {who.x + pad, y, who.w - 2 * pad, 0}) + p.px(8);
    return y - who.y - p.px(38);
}

float BranchView::draw_branch(Scene& scene, Paint& p, const Rect& at) {
    const Theme& th = p.theme;
    const float in = p.px(12), w = at.w - 2 * in, line = p.px(20);
    const std::string how = choices_text(scene);
    const float text_h = p.text_wrapped(Face::small, 0, 0, w, th.text, how, 3, false);
    const float h = p.px(10) + line + text_h + (scene.branch ? p.px(36) : p.px(8));
    const Rect card{at.x, at.y, at.w, h};
    p.rect(card, th.well, p.px(5)), p.outline(card, th.link, p.px(2), p.px(5));
    float y = at.y + p.px(9);
    p.text_in(Face::strong, at.x + in, y, w, th.text, scene.branch ? "A branch. Went next, by choice:" : "A chosen order of turns:");
    y += line;
    y += p.text_wrapped(Face::small, at.x + in, y, w, th.text, how, 3) + p.px(3);
    if (scene.branch && p.button("branch/trunk", {at.x + in, y, w, p.px(26)}, "back to the trunk", {Face::small, false, true, false}))
        scene.sel.trunk = true;
    return h;
}

float BranchView::draw_choice(Scene& scene, Paint& p, const Rect& at) {
    const Theme& th = p.theme;
    const Crossroads& x = *scene.crossroads;
    const float in = p.px(12), w = at.w - 2 * in, row = p.px(30);
    const std::string none = "Nobody has a choice here: the main chunk gives the order, or everybody sleeps.";
    const std::size_t n = std::min<std::size_t>(x.tasks.size(), 8);
    const float body = n ? row * static_cast<float>(n) : p.text_wrapped(Face::small, 0, 0, w, th.text, none, 4, false);
    const Rect card{at.x, at.y, at.w, p.px(36) + body + p.px(8)};
    p.rect(card, th.well, p.px(5)), p.outline(card, th.line, 1, p.px(5));
    p.text_in(Face::strong, at.x + in, at.y + p.px(10), w, th.text, fmt::format("After event {}: who is next?", digits_grouped(x.at)));
    float y = at.y + p.px(36);
    if (!n) p.text_wrapped(Face::small, at.x + in, y, w, th.muted, none, 4);
    for (std::size_t i = 0; i < n; ++i, y += row) {
        const TaskId t = x.tasks[i];
        const std::string name = task_label(scene.s, scene.names, t);
        const bool as_is = t == x.next;
        if (p.button(("branch/" + name).c_str(), {at.x + in, y, w, row - p.px(4)}, as_is ? name + " (as it goes now)" : name, {Face::body, false, true, as_is}))
            scene.sel.branch = t;
    }
    return card.h;
}

} // namespace pipescope
