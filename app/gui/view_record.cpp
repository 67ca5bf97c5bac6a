// SPDX-License-Identifier: MIT
// Draws the dialog, and asks the recorder now and then.
#include "app/gui/view_record.hpp"
#include "app/gui/imgui_shim.hpp"
#include <algorithm>
#include <cmath>
#include <utility>

namespace pipescope {
namespace {

const char* tier_words(const std::string& tier) {
    if (tier == "bpf") return "The kernel's own ring, pages, locks and sleeps. Refused where that may not be read.";
    if (tier == "syscalls") return "Calls and results alone, without privileges; the ring is inferred, and drawn hatched.";
    return "The best that this user and this kernel allow.";
}

} // namespace

void RecordView::open() {
    open_ = true;
    if (!running()) file = free_recording_name(), fault_.clear();
}

std::string RecordView::draw(Paint& p, float width, float height) {
    const bool was = recorder_.running();
    recorder_.poll();
    std::string done;
    if (was && recorder_.ended()) {
        const RecorderNews& n = recorder_.news();
        if (n.fault.empty() || !n.events.empty()) done = recorder_.file();
        else fault_ = n.fault;
        if (!done.empty()) open_ = false;
    }
    if (open_ && !shown_) ImGui::OpenPopup("record");
    const float w = std::min(width - p.px(40), p.px(660)), h = std::min(height - p.px(40), p.px(384));
    ImGui::SetNextWindowPos({std::round((width - w) / 2), std::round((height - h) / 2)});
    ImGui::SetNextWindowSize({w, h});
    ImGui::PushStyleVar(ImGuiStyleVar_PopupBorderSize, p.px(1));
    ImGui::PushStyleColor(ImGuiCol_ModalWindowDimBg, ImGui::ColorConvertU32ToFloat4(with_alpha(p.theme.stage, 0.6f)));
    shown_ = ImGui::BeginPopupModal("record", nullptr, ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoSavedSettings);
    if (shown_) {
        ImGui::PushFont(p.fonts[Face::body]);
        ImDrawList* outer = std::exchange(p.dl, ImGui::GetWindowDrawList());
        const ImVec2 at = ImGui::GetWindowPos();
        const float pad = p.px(22);
        draw_form(p, {at.x + pad, at.y + p.px(18), w - 2 * pad, h - p.px(36)});
        if (!open_) ImGui::CloseCurrentPopup();
        p.dl = outer;
        ImGui::PopFont();
        ImGui::EndPopup();
        shown_ = open_;
    }
    ImGui::PopStyleColor();
    ImGui::PopStyleVar();
    return done;
}

void RecordView::draw_form(Paint& p, const Rect& at) {
    const Theme& th = p.theme;
    const bool busy = running();
    const float label = p.px(92), line = p.px(32), x = at.x + label, w = at.w - label;
    float y = at.y;
    p.text_in(Face::title, at.x, y, at.w, th.text, "Record every pipe of a command");
    y += p.px(38);
    const auto name = [&](const char* s) { p.text_in(Face::body, at.x, y + line / 2 - p.text_h(Face::body) / 2, label, th.muted, s); };
    name("command");
    if (busy) p.text_in(Face::mono, x, y + line / 2 - p.text_h(Face::mono) / 2, w, th.text, command);
    else p.input("record/command", {x, y, w, line}, command, "a shell command: producer | consumer");
    y += line + p.px(10);
    name("into");
    if (busy) p.text_in(Face::mono, x, y + line / 2 - p.text_h(Face::mono) / 2, w, th.text, file);
    else p.input("record/file", {x, y, w, line}, file, "run.psc");
    y += line + p.px(10);
    name("see");
    float bx = x;
    for (const auto& [id, words] : {std::pair{"auto", "the best there is"}, {"bpf", "the kernel (bpf)"}, {"syscalls", "calls alone"}}) {
        const float bw = p.text_w(Face::body, words) + p.px(26);
        if (p.button((std::string("record/") + id).c_str(), {bx, y, bw, line}, words, {Face::body, false, !busy, tier == id})) tier = id;
        bx += bw + p.px(6);
    }
    y += line + p.px(6);
    y += p.text_wrapped(Face::small, x, y, w, th.muted, tier_words(tier), 2) + p.px(12);
    y += draw_news(p, {at.x, y, at.w, 0});
    const float bh = p.px(34), bw = p.px(130), by = at.bottom() - bh;
    if (p.button("record/close", {at.right() - bw, by, bw, bh}, busy ? "hide" : "close", {Face::body, false, true, false})) open_ = false;
    const Rect go{at.right() - 2 * bw - p.px(10), by, bw, bh};
    if (busy) {
        if (p.button("record/stop", go, "stop", {Face::body, true, true, false})) recorder_.stop();
    } else if (p.button("record/start", go, "record", {Face::body, true, !command.empty(), false})) {
        fault_.clear();
        recorder_.start(command, tier, file, fault_);
    }
}

float RecordView::draw_news(Paint& p, const Rect& at) {
    const Theme& th = p.theme;
    const RecorderNews& n = recorder_.news();
    float y = at.y;
    if (!fault_.empty()) return p.text_wrapped(Face::body, at.x, y, at.w, th.warn, fault_, 4);
    if (running()) {
        const std::string figures = n.events.empty() ? "recording ..." : n.events + " events, " + (n.lost.empty() ? "0" : n.lost) + " lost, " + n.bytes + " through the pipes, " + n.written + " written";
        p.text_in(Face::mono, at.x, y, at.w, th.text, figures);
        y += p.px(24);
    }
    if (!n.why.empty()) y += p.text_wrapped(Face::small, at.x, y, at.w, th.warn, "Calls alone, the ring will be inferred: " + n.why, 3);
    return y - at.y;
}

} // namespace pipescope
