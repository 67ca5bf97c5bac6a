// SPDX-License-Identifier: MIT
// A person for tests: a screen on a back end that draws nowhere, clicked by the paths of its widgets.
#pragma once
#include "app/gui/screen.hpp"
#include <doctest/doctest.h>

namespace pipescope {

inline std::unique_ptr<Document> open_scenario(const char* name) { // of assets/scenarios
    std::string error;
    auto d = Document::open(std::string(PIPESCOPE_SOURCE_DIR "/assets/scenarios/") + name, KernelVersion{}, error);
    REQUIRE_MESSAGE(d, error);
    return d;
}

class Driver {
public:
    Driver(std::unique_ptr<Document> document, float w = 1600, float h = 1000, const ScreenOptions& options = {}) {
        ImGui::CreateContext();
        ImGuiIO& io = ImGui::GetIO();
        io.DisplaySize = {w, h};
        io.BackendFlags |= ImGuiBackendFlags_RendererHasVtxOffset; // as the OpenGL one has it
        io.MousePos = {-1, -1};
        screen_ = std::make_unique<Screen>(std::move(document), options);
        screen_->build_fonts();
        frame();
    }
    ~Driver() {
        screen_.reset();
        ImGui::DestroyContext();
    }
    Driver(const Driver&) = delete;
    Driver& operator=(const Driver&) = delete;

    Screen& screen() { return *screen_; }
    void frame() {
        if (screen_->fonts_wanted()) screen_->build_fonts();
        ImGui::GetIO().DeltaTime = 1.0f / 60;
        ImGui::NewFrame();
        screen_->frame();
        ImGui::Render();
    }
    // False when there is no such widget, or it is not enabled.
    bool click(const std::string& path) {
        const Mark* m = screen_->marks().find(path);
        if (!m || !m->enabled) return false;
        click_at(m->rect.mid_x(), m->rect.mid_y());
        return true;
    }
    void click_at(float x, float y) {
        ImGuiIO& io = ImGui::GetIO();
        io.MousePos = {x, y};
        frame();
        io.MouseDown[0] = true;
        frame();
        io.MouseDown[0] = false;
        frame();
        io.MousePos = {-1, -1};
        frame();
    }
    // Into the field that was clicked last.
    void type(const std::string& text) {
        ImGui::GetIO().AddInputCharactersUTF8(text.c_str());
        frame();
        frame();
    }
    std::uint64_t digest_now() { return digest(screen_->state()); }

private:
    std::unique_ptr<Screen> screen_;
};

} // namespace pipescope
