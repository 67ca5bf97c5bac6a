// SPDX-License-Identifier: MIT
// Draws frames off screen until the layout stands, and writes the last one.
#include "app/gui/picture.hpp"
#include <epoxy/gl.h>
#include <epoxy/egl.h>
#include <backends/imgui_impl_opengl3.h>
#include <stb_image_write.h>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fmt/format.h>

namespace pipescope {
namespace {

constexpr int settle_frames = 3; // ImGui measures its children one frame late

class Offscreen { // a GL 3.3 context and a frame buffer to draw into
public:
    bool open(int w, int h, std::string& error) {
        display_ = eglGetPlatformDisplayEXT(EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, nullptr);
        if (display_ == EGL_NO_DISPLAY || !eglInitialize(display_, nullptr, nullptr))
            return error = "EGL cannot draw without a display here (is libegl-mesa0 installed?)", false;
        eglBindAPI(EGL_OPENGL_API);
        const EGLint config_wish[] = {EGL_SURFACE_TYPE, 0, EGL_RENDERABLE_TYPE, EGL_OPENGL_BIT, EGL_NONE};
        EGLConfig config{};
        EGLint n = 0;
        eglChooseConfig(display_, config_wish, &config, 1, &n);
        const EGLint wish[] = {EGL_CONTEXT_MAJOR_VERSION, 3, EGL_CONTEXT_MINOR_VERSION, 3, EGL_CONTEXT_OPENGL_PROFILE_MASK,
            EGL_CONTEXT_OPENGL_CORE_PROFILE_BIT, EGL_NONE};
        context_ = n ? eglCreateContext(display_, config, EGL_NO_CONTEXT, wish) : EGL_NO_CONTEXT;
        if (context_ == EGL_NO_CONTEXT || !eglMakeCurrent(display_, EGL_NO_SURFACE, EGL_NO_SURFACE, context_))
            return error = "EGL gives no OpenGL 3.3 context here", false;
        glGenRenderbuffers(1, &colour_);
        glBindRenderbuffer(GL_RENDERBUFFER, colour_);
        glRenderbufferStorage(GL_RENDERBUFFER, GL_RGBA8, w, h);
        glGenFramebuffers(1, &frame_);
        glBindFramebuffer(GL_FRAMEBUFFER, frame_);
        glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER, colour_);
        if (glCheckFramebufferStatus(GL_FRAMEBUFFER) != GL_FRAMEBUFFER_COMPLETE) return error = "OpenGL refuses a frame buffer of this size", false;
        return true;
    }
    ~Offscreen() {
        if (context_ != EGL_NO_CONTEXT)
            eglMakeCurrent(display_, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT), eglDestroyContext(display_, context_);
        if (display_ != EGL_NO_DISPLAY) eglTerminate(display_);
    }

private:
    EGLDisplay display_ = EGL_NO_DISPLAY;
    EGLContext context_ = EGL_NO_CONTEXT;
    GLuint colour_ = 0, frame_ = 0;
};

void draw_frames(Screen& screen, const PictureOptions& o) {
    ImGuiIO& io = ImGui::GetIO();
    io.DisplaySize = {static_cast<float>(o.width), static_cast<float>(o.height)};
    for (int i = 0; i < settle_frames; ++i) {
        io.DeltaTime = 1.0f / 60;
        ImGui_ImplOpenGL3_NewFrame();
        ImGui::NewFrame();
        screen.frame();
        ImGui::Render();
    }
    glViewport(0, 0, o.width, o.height);
    const ImVec4 ground = ImGui::ColorConvertU32ToFloat4(theme(o.screen.dark).stage);
    glClearColor(ground.x, ground.y, ground.z, 1);
    glClear(GL_COLOR_BUFFER_BIT);
    ImGui_ImplOpenGL3_RenderDrawData(ImGui::GetDrawData());
}

// In memory first: what writes straight into a file does not notice that the disk is full.
bool write_png(const PictureOptions& o, const std::string& path, std::string& error) {
    const auto w = static_cast<std::size_t>(o.width), h = static_cast<std::size_t>(o.height);
    std::vector<unsigned char> pixels(w * h * 4), flipped(w * h * 3);
    glReadPixels(0, 0, o.width, o.height, GL_RGBA, GL_UNSIGNED_BYTE, pixels.data());
    for (std::size_t y = 0; y < h; ++y) // GL counts rows from below
        for (std::size_t x = 0; x < w; ++x)
            for (std::size_t c = 0; c < 3; ++c) flipped[(y * w + x) * 3 + c] = pixels[((h - 1 - y) * w + x) * 4 + c];
    std::string png;
    const auto keep = [](void* to, void* data, int n) {
        static_cast<std::string*>(to)->append(static_cast<const char*>(data), static_cast<std::size_t>(n));
    };
    if (!stbi_write_png_to_func(keep, &png, o.width, o.height, 3, flipped.data(), o.width * 3))
        return error = path + ": the picture could not be packed", false;
    std::FILE* f = std::fopen(path.c_str(), "wb");
    if (!f) return error = fmt::format("{}: cannot be written: {}", path, std::strerror(errno)), false;
    const bool whole = std::fwrite(png.data(), 1, png.size(), f) == png.size() && std::fflush(f) == 0;
    const int why = errno;
    if (std::fclose(f) == 0 && whole) return true;
    std::error_code ec;
    if (std::filesystem::is_regular_file(path, ec)) std::filesystem::remove(path, ec); // half a picture helps nobody
    return error = fmt::format("{}: cannot be written: {}", path, std::strerror(why)), false;
}

} // namespace

bool picture_write(std::unique_ptr<Document> document, const PictureOptions& o, const std::string& path, std::string& error) {
    Offscreen target;
    if (!target.open(o.width, o.height, error)) return false;
    ImGui::CreateContext();
    bool ok = false;
    {
        Screen screen(std::move(document), o.screen);
        screen.build_fonts();
        ImGui_ImplOpenGL3_Init("#version 330");
        ok = true;
        for (const Turn& t : o.branch) screen.seek(t.after), ok = ok && screen.branch_to(t.task, error);
        ok = ok && (!o.in_step || screen.run_in_step(error));
        if (ok && o.in_step && o.at == ~std::size_t{0}) screen.finish_in_step();
        if (o.at != ~std::size_t{0}) screen.seek(o.at);
        if (o.tab) screen.selection().tab = *o.tab, screen.selection().middle = Middle::why;
        if (o.middle) screen.selection().middle = *o.middle;
        if (!o.address.empty()) screen.type_address(o.address);
        if (!o.profile.empty()) screen.selection().profile = screen.selection().profile_typed = o.profile;
        if (o.choose) screen.ask_next();
        if (o.record) screen.record().open();
        ok = ok && (o.against.empty() || screen.compare_with(o.against, error));
        if (ok) draw_frames(screen, o), ok = write_png(o, path, error);
        ImGui_ImplOpenGL3_Shutdown();
    }
    ImGui::DestroyContext();
    return ok;
}

} // namespace pipescope
