// SPDX-License-Identifier: MIT
// A frame of the window, top to bottom, and its keys.
#include "app/gui/screen.hpp"
#include <algorithm>
#include <utility>

namespace pipescope {
namespace {

constexpr float scales[] = {0.8f, 1.0f, 1.25f, 1.5f, 1.75f, 2.0f, 2.5f, 3.0f};
constexpr double copy_seconds = 0.5; // that a copy takes on the screen

void plain_style(float scale, const Theme& t) {
    ImGuiStyle& style = ImGui::GetStyle();
    style = ImGuiStyle();
    style.WindowPadding = {0, 0};
    style.WindowBorderSize = style.ChildBorderSize = 0;
    style.ItemSpacing = {0, 0};
    style.ScrollbarSize = 8;
    style.ScaleAllSizes(scale);
    const auto set = [&](ImGuiCol c, Colour v) { style.Colors[c] = ImGui::ColorConvertU32ToFloat4(v); };
    set(ImGuiCol_Text, t.text), set(ImGuiCol_PopupBg, t.card), set(ImGuiCol_Border, t.line), set(ImGuiCol_ScrollbarBg, with_alpha(t.panel, 0));
    set(ImGuiCol_ScrollbarGrab, t.line), set(ImGuiCol_ScrollbarGrabHovered, t.faint), set(ImGuiCol_ScrollbarGrabActive, t.muted);
}

} // namespace

Screen::Screen(std::unique_ptr<Document> document, const ScreenOptions& options) : document_(std::move(document)), options_(options) {
    ImGui::GetIO().IniFilename = nullptr;
    transport_.seek(*document_, document_->opening());
}

void Screen::build_fonts() { fonts_ = fonts_build(options_.scale); }

Scene Screen::make_scene(const State& s) {
    if (named_at_ != transport_.position()) pages_.rebuild(s), named_at_ = transport_.position();
    return {s, document_->timeline(), *document_, document_->strings(), pages_, lanes_, transport_, selection_,
        focus_at(s, document_->timeline(), transport_.position()), transport_.position(), false, comparison(), &crossroads_, 1,
        &findings_, &partings_, &pairs_.list(), trunk_ != nullptr};
}

void Screen::frame() {
    const ImVec2 size = ImGui::GetIO().DisplaySize;
    const Theme& t = theme(options_.dark);
    plain_style(options_.scale, t);
    marks_.clear();
    transport_.advance(*document_, ImGui::GetTime());
    follow_in_step();
    lanes_.update(document_->timeline());
    look_for_findings();
    why_.prepare(*document_, transport_.position());
    Scene scene = make_scene(state());
    if (std::exchange(moved_n_, scene.n) != scene.n) moved_at_ = ImGui::GetTime();
    motion_ = options_.still || !scene.focus.copies ? 1 : static_cast<float>(std::clamp((ImGui::GetTime() - moved_at_) / copy_seconds, 0.0, 1.0));
    scene.motion = motion_;
    Paint paint(t, fonts_, marks_, options_.scale);
    const Regions regions = regions_layout(size.x, size.y, options_.scale);
    scene.narrow = regions.narrow;

    ImGui::SetNextWindowPos({0, 0});
    ImGui::SetNextWindowSize(size);
    ImGui::Begin("pipescope", nullptr,
        ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoBackground | ImGuiWindowFlags_NoSavedSettings |
            ImGuiWindowFlags_NoBringToFrontOnFocus | ImGuiWindowFlags_NoScrollWithMouse);
    ImGui::PushFont(fonts_[Face::body]);
    paint.dl = ImGui::GetWindowDrawList();
    draw_views(scene, paint, regions);
    draw_fault(paint, regions);
    const std::string recorded = record_.draw(paint, size.x, size.y);
    ImGui::PopFont();
    ImGui::End();
    take_wishes();
    if (std::string why; !recorded.empty() && !open_file(recorded, why)) record_.open(), record_.refuse(why);
}

// What views asked for, now that no view looks at the state any more.
void Screen::take_wishes() {
    if (selection_.seek) transport_.seek(*document_, *selection_.seek);
    if (selection_.command) command(*selection_.command);
    if (crossroads_.open && crossroads_.at != transport_.position()) crossroads_.open = false;
    if (const auto task = std::exchange(selection_.branch, std::nullopt)) {
        notice_.clear();
        if (!branch_to(*task, notice_)) fault_closed_ = false;
    }
    if (std::exchange(selection_.trunk, false)) back_to_trunk();
    notice_ = selection_.kernel.empty() && selection_.against.empty() ? notice_ : "";
    if (const std::string v = std::exchange(selection_.kernel, ""); !v.empty() && !run_under(v, notice_)) fault_closed_ = false;
    if (const std::string v = std::exchange(selection_.against, ""); !v.empty() && !compare_with(v, notice_)) fault_closed_ = false;
    selection_.seek.reset(), selection_.command.reset();
}

void Screen::type_address(const std::string& text) {
    lanes_.update(document_->timeline());
    Scene scene = make_scene(state());
    take_address(scene, text);
}

void Screen::draw_views(Scene& scene, Paint& p, const Regions& r) {
    toolbar_.draw(scene, p, r.toolbar);
    who_.draw(scene, p, r.who);
    const bool mbufs = scene.mbufs(); // they take the place of the memory too
    const auto what = [&](float bar) {
        if (mbufs) return mbufs_.draw(scene, p, {r.ring.x, r.ring.y + bar, r.ring.w, r.ring.h + r.memory.h - bar});
        ring_.draw(scene, p, {r.ring.x, r.ring.y + bar, r.ring.w, r.ring.h - bar});
        memory_.draw(scene, p, r.memory);
    };
    if (r.narrow) {
        const Rect middle{r.ring.x, r.ring.y, r.ring.w, r.ring.h + r.memory.h};
        const float bar = why_.shared_bar(p, middle.w, mbufs) + 1;
        why_.draw_shared(scene, p, middle);
        if (selection_.middle == Middle::memory) memory_.draw(scene, p, {middle.x, middle.y + bar, middle.w, middle.h - bar});
        else if (selection_.middle == Middle::ring) what(bar);
    } else {
        what(0);
        why_.draw(scene, p, r.why);
    }
    when_.draw(scene, p, r.when);
}

void Screen::draw_fault(Paint& p, const Regions& r) {
    const bool ended = !document_->fault().empty() && !document_->more();
    const std::string& fault = ended ? document_->fault() : notice_;
    if (fault.empty() || fault_closed_) return;
    const Theme& t = p.theme;
    const float w = std::min(r.toolbar.w - p.px(80), p.px(720)), pad = p.px(16);
    const float text_h = p.text_wrapped(Face::mono, 0, 0, w - 2 * pad - p.px(40), t.text, fault, 6, false);
    const Rect box{r.toolbar.mid_x() - w / 2, r.toolbar.bottom() + p.px(12), w, text_h + p.px(46)};
    p.rect(box, t.card, p.px(6));
    p.outline(box, t.warn, p.px(2), p.px(6));
    p.text(Face::strong, box.x + pad, box.y + p.px(10), t.warn,
        ended ? "The scenario ended with an error; what ran before it is here." : "That could not be run.");
    p.text_wrapped(Face::mono, box.x + pad, box.y + p.px(34), w - 2 * pad - p.px(40), t.text, fault, 6);
    if (p.button("fault/close", {box.right() - p.px(38), box.y + p.px(8), p.px(28), p.px(26)}, icon_text(Icon::close, p.fonts.icons),
            {Face::icon, false, true, false}))
        fault_closed_ = true;
}

double Screen::wait_seconds(double now) const { return motion_ < 1 || looking_ ? 1.0 / 60 : busy() ? 0.1 : transport_.playing() ? std::clamp(transport_.due() - now, 0.001, 1.0) : 1.0; }

void Screen::command(Command c) {
    Document& d = *document_;
    const auto rescale = [&](int by) {
        const auto* at = std::min_element(
            std::begin(scales), std::end(scales), [&](float a, float b) { return std::abs(a - options_.scale) < std::abs(b - options_.scale); });
        options_.scale = scales[std::clamp(static_cast<int>(at - scales) + by, 0, static_cast<int>(std::size(scales)) - 1)];
    };
    const auto step = [&](int by) { transport_.set_step(static_cast<Step>(std::clamp(static_cast<int>(transport_.step()) + by, 0, 2))); };
    switch (c) {
    case Command::first: transport_.first(d); break;
    case Command::back: transport_.back(d); break;
    case Command::play: transport_.toggle_play(ImGui::GetTime()); break;
    case Command::forward: transport_.forward(d); break;
    case Command::last: transport_.last(d); break;
    case Command::finer: step(-1); break;
    case Command::coarser: step(1); break;
    case Command::by_event: transport_.set_step(Step::event); break;
    case Command::by_stage: transport_.set_step(Step::stage); break;
    case Command::by_call: transport_.set_step(Step::call); break;
    case Command::choose: ask_next(); break;
    case Command::larger: rescale(1); break;
    case Command::smaller: rescale(-1); break;
    case Command::theme: options_.dark = !options_.dark; break;
    case Command::close: fault_closed_ = true, record_.close(); break;
    case Command::in_step:
        notice_.clear();
        if (!run_in_step(notice_)) fault_closed_ = false;
        break;
    case Command::record: record_.open(); break;
    }
}

} // namespace pipescope
