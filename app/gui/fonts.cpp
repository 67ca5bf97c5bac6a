// SPDX-License-Identifier: MIT
// Builds the font atlas through FreeType.
#include "app/gui/fonts.hpp"
#include <imgui_freetype.h>
#include <cmath>
#include <filesystem>

namespace pipescope {
namespace {

constexpr ImWchar text_ranges[] = {
    0x20, 0xff, 0x2010, 0x2027, 0x2039, 0x203a, 0x2190, 0x2193, 0x2212, 0x2212, 0x2260, 0x2260, 0x2264, 0x2265, 0x25a0, 0x25cf, 0};
constexpr ImWchar icon_ranges[] = {0xf048, 0xf052, 0xf00d, 0xf00d, 0};

struct FaceFile {
    Face face;
    float size; // pixels at scale 1
    const char* paths[3];
};
constexpr FaceFile files[] = {
    {Face::body, 15.5f,
        {"/usr/share/fonts/opentype/inter/Inter-Regular.otf", "/usr/share/fonts/truetype/inter/Inter-Regular.ttf",
            "/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf"}},
    {Face::strong, 15.5f,
        {"/usr/share/fonts/opentype/inter/Inter-SemiBold.otf", "/usr/share/fonts/truetype/inter/Inter-SemiBold.ttf",
            "/usr/share/fonts/truetype/dejavu/DejaVuSans-Bold.ttf"}},
    {Face::title, 18.0f,
        {"/usr/share/fonts/opentype/inter/Inter-SemiBold.otf", "/usr/share/fonts/truetype/inter/Inter-SemiBold.ttf",
            "/usr/share/fonts/truetype/dejavu/DejaVuSans-Bold.ttf"}},
    {Face::small, 14.0f,
        {"/usr/share/fonts/opentype/inter/Inter-Regular.otf", "/usr/share/fonts/truetype/inter/Inter-Regular.ttf",
            "/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf"}},
    {Face::mono, 15.5f,
        {"/usr/share/fonts/truetype/jetbrains-mono/JetBrainsMono-Regular.ttf", "/usr/share/fonts/truetype/dejavu/DejaVuSansMono.ttf", nullptr}},
    {Face::mono_small, 13.5f,
        {"/usr/share/fonts/truetype/jetbrains-mono/JetBrainsMono-Regular.ttf", "/usr/share/fonts/truetype/dejavu/DejaVuSansMono.ttf", nullptr}},
    {Face::mono_strong, 16.0f,
        {"/usr/share/fonts/truetype/jetbrains-mono/JetBrainsMono-Bold.ttf", "/usr/share/fonts/truetype/dejavu/DejaVuSansMono-Bold.ttf", nullptr}},
    {Face::icon, 15.0f,
        {"/usr/share/fonts/opentype/font-awesome/FontAwesome.otf", "/usr/share/fonts/truetype/font-awesome/fontawesome-webfont.ttf", nullptr}},
};

ImFont* load(const FaceFile& f, float scale) {
    ImFontConfig config;
    config.OversampleH = config.OversampleV = 1;
    config.PixelSnapH = true;
    const ImWchar* ranges = f.face == Face::icon ? icon_ranges : text_ranges;
    for (const char* path : f.paths)
        if (std::error_code ec; path && std::filesystem::exists(path, ec))
            return ImGui::GetIO().Fonts->AddFontFromFileTTF(path, std::round(f.size * scale), &config, ranges);
    return nullptr;
}

} // namespace

Fonts fonts_build(float scale) {
    ImFontAtlas* atlas = ImGui::GetIO().Fonts;
    atlas->Clear();
    atlas->FontBuilderIO = ImGuiFreeType::GetBuilderForFreeType();
    atlas->FontBuilderFlags = ImGuiFreeTypeBuilderFlags_LightHinting;
    Fonts fonts;
    fonts.scale = scale;
    for (const FaceFile& f : files) fonts.face[static_cast<std::size_t>(f.face)] = load(f, scale);
    fonts.icons = fonts[Face::icon] != nullptr;
    for (ImFont*& face : fonts.face) {
        if (face) continue;
        ImFontConfig config; // the built-in bitmap font, at the nearest size
        config.SizePixels = std::round(13 * scale);
        face = atlas->AddFontDefault(&config);
    }
    atlas->Build();
    return fonts;
}

const char* icon_text(Icon i, bool have_icons) {
    static constexpr const char* glyphs[] = {
        "\xef\x81\x89", "\xef\x81\x88", "\xef\x81\x8b", "\xef\x81\x8c", "\xef\x81\x91", "\xef\x81\x90", "\xef\x80\x8d"};
    static constexpr const char* words[] = {"|<", "<", ">", "||", ">|", ">>|", "x"};
    return (have_icons ? glyphs : words)[static_cast<std::size_t>(i)];
}

} // namespace pipescope
