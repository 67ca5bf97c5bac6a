// SPDX-License-Identifier: MIT
// The program: without a subcommand the window, with one what it says.
#include "app/cmd_calibrate.hpp"
#include "app/cmd_check.hpp"
#include "app/cmd_conform.hpp"
#include "app/cmd_explore.hpp"
#include "app/cmd_info.hpp"
#include "app/cmd_ladder.hpp"
#include "app/cmd_record.hpp"
#include "app/cmd_step.hpp"
#include "app/document.hpp"
#ifdef PIPESCOPE_GUI
#include "app/cmd_shot.hpp"
#include "app/gui/window.hpp"
#endif
#include <cstdio>
#include <exception>

namespace pipescope {
namespace {

int open_window(const std::string& file) {
#ifdef PIPESCOPE_GUI
    return window_run(file.empty() ? document_first_tour() : file);
#else
    std::fprintf(stderr, "pipescope was built without its window; `pipescope step %s` prints the run instead\n", file.empty() ? "FILE" : file.c_str());
    return 2;
#endif
}

} // namespace
} // namespace pipescope

int main(int argc, char** argv) {
    using namespace pipescope;
    CLI::App app{"pipescope shows what happens inside a Linux pipe"};
    std::function<int()> run;
    std::string file;
    app.set_version_flag("--version", "pipescope " PIPESCOPE_VERSION);
    app.add_option("FILE", file, "a scenario or a recording to open in the window");
    app.require_subcommand(0, 1);
    add_step_command(app, run);
    add_check_command(app, run);
    add_conform_command(app, run);
    add_calibrate_command(app, run);
    add_explore_command(app, run);
    add_record_command(app, run);
    add_info_command(app, run);
    add_ladder_command(app, run);
    add_salvage_command(app, run);
#ifdef PIPESCOPE_GUI
    add_shot_command(app, run);
#endif
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& e) {
        if (e.get_exit_code() == 0) return app.exit(e); // --help, --version
        std::fprintf(stderr, "pipescope: %s\n", e.what());
        return 2;
    }
    if (run && !file.empty()) {
        std::fprintf(stderr, "pipescope: %s: not expected here\n", file.c_str());
        return 2;
    }
    int status = 2;
    try {
        status = run ? run() : open_window(file);
    } catch (const std::exception& e) { // what standard output refuses comes here too
        std::fprintf(stderr, "pipescope: %s\n", e.what());
        return 2;
    }
    if (std::fflush(stdout) != 0 || std::ferror(stdout)) {
        std::fprintf(stderr, "pipescope: standard output could not be written\n");
        return 2;
    }
    return status;
}
