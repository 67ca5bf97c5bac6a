// SPDX-License-Identifier: MIT
// Reads the options of `shot` and has the picture made.
#include "app/cmd_shot.hpp"
#include "app/address.hpp"
#include "app/options.hpp"
#include "app/gui/picture.hpp"
#include "app/ladder_run.hpp"
#include <cctype>
#include <cmath>
#include <cstdio>
#include <fmt/format.h>

namespace pipescope {
namespace {

struct ShotOptions {
    std::string file, size = "1600x1000", theme = "dark", tab, out, kernel, against, address, schedule, profile;
    std::size_t at = ~std::size_t{0};
    float scale = 1;
    bool choose = false, record = false;
    std::string on = "model";
};

int fail(const std::string& line) { return std::fprintf(stderr, "%s\n", line.c_str()), 2; }

constexpr float least_w = 640, least_h = 480; // at scale 1; nothing is legible below

struct TabName {
    const char* name;
    Tab tab;
};
constexpr TabName tab_names[] = {
    {"events", Tab::events}, {"findings", Tab::findings}, {"locks", Tab::locks}, {"ledger", Tab::ledger}, {"costs", Tab::costs}, {"ladder", Tab::ladder}, {"walk", Tab::walk}, {"page", Tab::page}, {"versions", Tab::versions}};

// "png" of "out.png"; empty without a dot in the file's name.
std::string ending(const std::string& path) {
    const std::size_t dot = path.rfind('.'), slash = path.rfind('/');
    if (dot == std::string::npos || (slash != std::string::npos && dot < slash)) return "";
    std::string out = path.substr(dot + 1);
    for (char& c : out) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return out;
}

// What is wrong with the options, or nothing.
std::string fault_of(const ShotOptions& o, PictureOptions& p) {
    char rest = 0;
    if (std::sscanf(o.size.c_str(), "%dx%d%c", &p.width, &p.height, &rest) != 2 || p.width < 1 || p.height < 1 || p.width > 8192 || p.height > 8192)
        return "--size " + o.size + ": expected WIDTHxHEIGHT, at most 8192x8192";
    if (!std::isfinite(o.scale)) return "--scale: not a number";
    const auto w = static_cast<int>(std::ceil(least_w * o.scale)), h = static_cast<int>(std::ceil(least_h * o.scale));
    if (p.width < w || p.height < h) return fmt::format("--size {}: too small to read; at least {}x{} at scale {}", o.size, w, h, o.scale);
    if (const std::string e = ending(o.out); !e.empty() && e != "png") return o.out + ": only PNG is written; end the name in .png";
    std::string fault;
    if (!o.address.empty() && !address_parse(o.address, fault)) return "--address " + o.address + ": " + (fault.empty() ? "no address" : fault);
    return "";
}

int shot(const ShotOptions& o) {
    PictureOptions p;
    if (const std::string fault = fault_of(o, p); !fault.empty()) return fail(fault);
    const auto version = kernel_option(o.kernel);
    if (!version) return 2;
    p.screen = {o.scale, o.theme == "dark", true};
    p.at = o.at;
    for (const TabName& t : tab_names)
        if (o.tab == t.name) p.tab = t.tab;
    if (o.tab == "ring") p.middle = Middle::ring;
    if (o.tab == "memory") p.middle = Middle::memory;
    if (!o.address.empty() && !p.tab) p.tab = Tab::walk;
    if (!o.against.empty() && !p.tab) p.tab = Tab::versions;
    if (!o.profile.empty() && !p.tab) p.tab = Tab::ladder;
    p.address = o.address, p.against = o.against, p.profile = o.profile;
    if (!o.against.empty() && !kernel_version(o.against)) return fail("--against " + unknown_kernel(o.against));
    std::string error;
    if (!ladder_profile(o.profile, error)) return fail("--profile " + error);
    auto doc = Document::open(o.file, *version, error);
    if (!doc) return fail(error);
    if (doc->recorded() && !o.against.empty()) return fail("--against: " + o.file + " is a recording, and ran on one kernel only");
    if (!o.schedule.empty()) {
        Schedule turns;
        if (!schedule_parse(o.schedule, turns)) return fail("--schedule " + o.schedule + ": not a list of task numbers such as \"1 2 1\" or \"@283 2\"");
        if (doc->recorded()) return fail("--schedule: " + o.file + " is a recording, and ran in one order");
        if (!turns.empty() && turns[0].after) p.branch = std::move(turns);
        else doc->follow(std::move(turns));
    }
    p.choose = o.choose, p.record = o.record, p.in_step = o.on == "kernel";
    if (p.in_step && doc->recorded()) return fail("--on kernel: " + o.file + " is a recording");
    if (p.in_step && !o.schedule.empty()) return fail("--schedule: on the kernel calls are made one after another");
    if (!picture_write(std::move(doc), p, o.out, error)) return fail(error);
    return 0;
}

} // namespace

void add_shot_command(CLI::App& app, std::function<int()>& run) {
    auto o = std::make_shared<ShotOptions>();
    CLI::App* sub = app.add_subcommand("shot", "draw the window into a PNG file");
    sub->add_option("FILE", o->file, "a scenario or a recording")->required();
    sub->add_option("--at", o->at, "the event to stand at, on the kernel with no call made that comes later; without it where the window opens")->check(whole_number());
    sub->add_option("--size", o->size, "pixels, as 1600x1000");
    sub->add_option("--scale", o->scale, "size of the type")->check(CLI::Range(0.5f, 4.0f));
    sub->add_option("--theme", o->theme, "dark or light")->check(CLI::IsMember({"dark", "light"}));
    sub->add_option("--tab", o->tab, "what to show: events, findings, locks, ledger, costs, ladder, walk, page, versions; in a narrow window ring or memory")
        ->check(CLI::IsMember({"events", "findings", "locks", "ledger", "costs", "ladder", "walk", "page", "versions", "ring", "memory"}));
    sub->add_option("--address", o->address, "the address to walk to, hexadecimal");
    sub->add_option("--against", o->against, "another kernel version to compare with");
    sub->add_option("--profile", o->profile, "the path of a cost profile to run the ladder with");
    sub->add_option("--schedule", o->schedule, "whose turns come first, as explore prints them; or a branch after event N, as \"@N 2\"");
    sub->add_flag("--choose", o->choose, "show who could go next");
    sub->add_option("--on", o->on, "model, or kernel: call by call on this kernel too, its ring beside the model's")->check(CLI::IsMember({"model", "kernel"}));
    sub->add_flag("--record", o->record, "show the dialog that records a command");
    sub->add_option("--kernel", o->kernel, kernel_help);
    sub->add_option("-o,--output", o->out, "the file to write")->required();
    sub->callback([o, &run] { run = [o] { return shot(*o); }; });
}

} // namespace pipescope
