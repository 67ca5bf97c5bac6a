// SPDX-License-Identifier: MIT
// Reads the options of `shot` and has the picture made.
#include "app/cmd_shot.hpp"
#include "app/options.hpp"
#include "app/gui/picture.hpp"
#include <cmath>
#include <cstdio>

namespace pipescope {
namespace {

struct ShotOptions {
    std::string file, size = "1600x1000", theme = "dark", tab = "events", out, kernel;
    std::size_t at = ~std::size_t{0};
    float scale = 1;
};

int fail(const std::string& line) { return std::fprintf(stderr, "%s\n", line.c_str()), 2; }

int shot(const ShotOptions& o) {
    PictureOptions p;
    char rest = 0;
    if (std::sscanf(o.size.c_str(), "%dx%d%c", &p.width, &p.height, &rest) != 2 || p.width < 320 || p.height < 240 || p.width > 8192 ||
        p.height > 8192)
        return fail("--size " + o.size + ": expected WIDTHxHEIGHT, 320x240 to 8192x8192");
    if (!std::isfinite(o.scale)) return fail("--scale: not a number");
    const auto version = kernel_option(o.kernel);
    if (!version) return 2;
    p.screen = {o.scale, o.theme == "dark"};
    p.at = o.at;
    p.tab = o.tab == "events" ? 0 : o.tab == "locks" ? 1 : 2;
    std::string error;
    auto doc = Document::open(o.file, *version, error);
    if (!doc) return fail(error);
    if (!picture_write(std::move(doc), p, o.out, error)) return fail(error);
    return 0;
}

} // namespace

void add_shot_command(CLI::App& app, std::function<int()>& run) {
    auto o = std::make_shared<ShotOptions>();
    CLI::App* sub = app.add_subcommand("shot", "draw the window into a PNG file");
    sub->add_option("FILE", o->file, "a scenario or a recording")->required();
    sub->add_option("--at", o->at, "the event to stand at; without it where the window opens")->check(whole_number());
    sub->add_option("--size", o->size, "pixels, as 1600x1000");
    sub->add_option("--scale", o->scale, "size of the type")->check(CLI::Range(0.5f, 4.0f));
    sub->add_option("--theme", o->theme, "dark or light")->check(CLI::IsMember({"dark", "light"}));
    sub->add_option("--tab", o->tab, "events, locks or walk")->check(CLI::IsMember({"events", "locks", "walk"}));
    sub->add_option("--kernel", o->kernel, kernel_help);
    sub->add_option("-o,--output", o->out, "the file to write")->required();
    sub->callback([o, &run] { run = [o] { return shot(*o); }; });
}

} // namespace pipescope
