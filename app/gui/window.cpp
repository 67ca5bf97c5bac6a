// SPDX-License-Identifier: MIT
// GLFW and OpenGL around the screen: keys, redraw on demand, and an idle wait.
#include "app/gui/window.hpp"
#include "app/gui/screen.hpp"
#include <epoxy/gl.h>
#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>
#include <backends/imgui_impl_glfw.h>
#include <backends/imgui_impl_opengl3.h>
#include <algorithm>
#include <cstdio>

namespace pipescope {
namespace {

constexpr int frames_after_event = 3; // hover and scrolling settle within so many frames
int pending = frames_after_event;     // frames still to draw before the next wait
Screen* keys_go_to = nullptr;

struct Shortcut {
    int key, mods;
    Command action;
};
constexpr Shortcut shortcuts[] = {
    {GLFW_KEY_HOME, 0, Command::first},
    {GLFW_KEY_LEFT, 0, Command::back},
    {GLFW_KEY_SPACE, 0, Command::play},
    {GLFW_KEY_RIGHT, 0, Command::forward},
    {GLFW_KEY_END, 0, Command::last},
    {GLFW_KEY_UP, 0, Command::coarser},
    {GLFW_KEY_DOWN, 0, Command::finer},
    {GLFW_KEY_1, 0, Command::by_event},
    {GLFW_KEY_2, 0, Command::by_stage},
    {GLFW_KEY_3, 0, Command::by_call},
    {GLFW_KEY_N, 0, Command::choose},
    {GLFW_KEY_T, 0, Command::theme},
    {GLFW_KEY_K, 0, Command::in_step},
    {GLFW_KEY_R, 0, Command::record},
    {GLFW_KEY_ESCAPE, 0, Command::close},
    {GLFW_KEY_EQUAL, GLFW_MOD_CONTROL, Command::larger},
    {GLFW_KEY_KP_ADD, GLFW_MOD_CONTROL, Command::larger},
    {GLFW_KEY_EQUAL, GLFW_MOD_CONTROL | GLFW_MOD_SHIFT, Command::larger},
    {GLFW_KEY_MINUS, GLFW_MOD_CONTROL, Command::smaller},
    {GLFW_KEY_KP_SUBTRACT, GLFW_MOD_CONTROL, Command::smaller},
};

void on_key(GLFWwindow* w, int key, int, int action, int mods) {
    pending = frames_after_event;
    if (action == GLFW_RELEASE || !keys_go_to || ImGui::GetIO().WantTextInput) return;
    mods &= GLFW_MOD_CONTROL | GLFW_MOD_SHIFT | GLFW_MOD_ALT;
    if (key == GLFW_KEY_Q && mods == GLFW_MOD_CONTROL) glfwSetWindowShouldClose(w, GLFW_TRUE);
    for (const Shortcut& s : shortcuts)
        if (s.key == key && s.mods == mods) keys_go_to->command(s.action);
}

// Anything that may change the picture asks for frames. Set before ImGui's back end, which calls on what it replaces.
void watch_input(GLFWwindow* w) {
    glfwSetKeyCallback(w, on_key);
    glfwSetCursorPosCallback(w, [](GLFWwindow*, double, double) { pending = std::max(pending, 2); });
    glfwSetMouseButtonCallback(w, [](GLFWwindow*, int, int, int) { pending = frames_after_event; });
    glfwSetScrollCallback(w, [](GLFWwindow*, double, double) { pending = frames_after_event; });
    glfwSetCursorEnterCallback(w, [](GLFWwindow*, int) { pending = frames_after_event; });
    glfwSetFramebufferSizeCallback(w, [](GLFWwindow*, int, int) { pending = frames_after_event; });
    glfwSetWindowRefreshCallback(w, [](GLFWwindow*) { pending = frames_after_event; });
    glfwSetWindowFocusCallback(w, [](GLFWwindow*, int) { pending = frames_after_event; });
}

void draw_frame(GLFWwindow* w, Screen& screen) {
    if (screen.fonts_wanted()) {
        ImGui_ImplOpenGL3_DestroyFontsTexture();
        screen.build_fonts();
        ImGui_ImplOpenGL3_CreateFontsTexture();
    }
    ImGui_ImplOpenGL3_NewFrame();
    ImGui_ImplGlfw_NewFrame();
    ImGui::NewFrame();
    screen.frame();
    ImGui::Render();
    int width = 0, height = 0;
    glfwGetFramebufferSize(w, &width, &height);
    glViewport(0, 0, width, height);
    const ImVec4 ground = ImGui::ColorConvertU32ToFloat4(theme(screen.options().dark).stage);
    glClearColor(ground.x, ground.y, ground.z, 1);
    glClear(GL_COLOR_BUFFER_BIT);
    ImGui_ImplOpenGL3_RenderDrawData(ImGui::GetDrawData());
    glfwSwapBuffers(w);
}

void run_loop(GLFWwindow* w, Screen& screen) {
    while (!glfwWindowShouldClose(w)) {
        const bool playing = screen.transport().playing() || screen.moves();
        if (pending > 0) glfwPollEvents();
        else glfwWaitEventsTimeout(screen.wait_seconds(ImGui::GetTime()));
        // ImGui's clock stands still while nothing is drawn, so a playing run is drawn at every wake-up.
        if (pending == 0 && !playing) continue;
        pending = std::max(pending - 1, 0);
        draw_frame(w, screen);
    }
}

} // namespace

int window_run(const std::string& file) {
    std::string error;
    auto doc = Document::open(file, KernelVersion{}, error);
    if (!doc) return std::fprintf(stderr, "%s\n", error.c_str()), 2;
    glfwSetErrorCallback([](int, const char*) {});
    glfwInitHint(GLFW_JOYSTICK_HAT_BUTTONS, GLFW_FALSE);
    GLFWwindow* w = nullptr;
    if (glfwInit()) {
        glfwWindowHint(GLFW_CONTEXT_VERSION_MAJOR, 3);
        glfwWindowHint(GLFW_CONTEXT_VERSION_MINOR, 3);
        glfwWindowHint(GLFW_OPENGL_PROFILE, GLFW_OPENGL_CORE_PROFILE);
        w = glfwCreateWindow(1600, 1000, "pipescope", nullptr, nullptr);
    }
    if (!w) {
        glfwTerminate();
        return std::fprintf(stderr,
                   "pipescope: no display to open a window on; `pipescope shot %s -o out.png` draws one, `pipescope step %s` prints the run\n",
                   file.c_str(), file.c_str()),
               2;
    }
    glfwSetWindowSizeLimits(w, 640, 480, GLFW_DONT_CARE, GLFW_DONT_CARE); // nothing is legible below
    glfwSetWindowTitle(w, (doc->title() + " – pipescope").c_str());
    glfwMakeContextCurrent(w);
    glfwSwapInterval(1);
    ImGui::CreateContext();
    {
        Screen screen(std::move(doc), {});
        screen.build_fonts();
        keys_go_to = &screen;
        watch_input(w);
        ImGui_ImplGlfw_InitForOpenGL(w, true);
        ImGui_ImplOpenGL3_Init("#version 330");
        run_loop(w, screen);
        keys_go_to = nullptr;
        ImGui_ImplOpenGL3_Shutdown();
        ImGui_ImplGlfw_Shutdown();
    }
    ImGui::DestroyContext();
    glfwDestroyWindow(w);
    glfwTerminate();
    return 0;
}

} // namespace pipescope
