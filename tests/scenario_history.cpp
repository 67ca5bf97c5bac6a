// SPDX-License-Identifier: MIT
// Historical bugs: each scenario shows its bug on the kernel it names, the right outcome on 6.18, and the same here if this kernel may be asked.
#include "core/version.hpp"
#include "scenario_case.hpp"
#include <doctest/doctest.h>
#include <sstream>

using namespace scenario_test;

namespace {

std::string text_of(const std::string& path) {
    std::ifstream in(path);
    return {std::istreambuf_iterator<char>(in), {}};
}

// What `features = "…"` of the header says.
std::string features_of(const std::string& text) {
    const std::size_t at = text.find("features = \"");
    if (at == std::string::npos) return "";
    const std::size_t from = at + 12;
    return text.substr(from, text.find('"', from) - from);
}

} // namespace

TEST_CASE("history: the bug where it was, and its absence on 6.18") {
    const auto files = files_in("assets/scenarios/history");
    CHECK(files.size() >= 16);
    for (const std::string& f : files) {
        const CaseResult bug = check_on_model(f, KernelVersion{});
        INFO(f, ":", bug.line, " as ", bug.kernel, ": ", bug.message);
        CHECK(bug.status == CaseStatus::passed);
        const auto own = kernel_version(bug.kernel); // since nobody asked for another
        REQUIRE(own);
        CHECK(has_feature(*own, *kernel_feature(features_of(text_of(f)))));
        const CaseResult fixed = check_on_model(f, *kernel_version("6.18"));
        INFO(f, ":", fixed.line, " on 6.18: ", fixed.message);
        CHECK(fixed.status == CaseStatus::passed);
        CHECK(fixed.kernel.empty());
        // What it states depends on the bug: told the contrary it fails, on both.
        std::string other = text_of(f);
        const std::size_t at = other.find(" = kernel{");
        REQUIRE(at != std::string::npos);
        other.insert(at + 3, "not ");
        const CaseFile contrary(other);
        CHECK(check_on_model(contrary.path.string(), KernelVersion{}).status == CaseStatus::failed);
        CHECK(check_on_model(contrary.path.string(), *kernel_version("6.18")).status == CaseStatus::failed);
        const CaseResult live = check_on_kernel(f);
        INFO(f, ":", live.line, " on this kernel: ", live.message);
        CHECK(live.status != CaseStatus::failed);
    }
}

TEST_CASE("history: every feature has a scenario with a title, what to watch and a question, of 60 lines at most") {
    std::string all;
    for (const std::string& f : files_in("assets/scenarios/history")) {
        const std::string text = text_of(f);
        all += "+" + features_of(text) + "+";
        CAPTURE(f);
        CHECK(std::count(text.begin(), text.end(), '\n') <= 60);
        for (const char* part : {"\ntitle(", "\nwatch(", "\nquestion("}) CHECK(text.find(part) != std::string::npos);
    }
    for (const KernelFeature& k : kernel_features()) {
        CAPTURE(k.name);
        CHECK(all.find("+" + std::string(k.name) + "+") != std::string::npos);
    }
}

TEST_CASE("history: a scenario stepped through is on the kernel it names") {
    const std::string f = std::string(PIPESCOPE_SOURCE_DIR) + "/assets/scenarios/history/dirty_pipe.lua";
    const auto kernel_of = [&](const KernelVersion& v) {
        std::string error;
        const auto s = Scenario::load(f, v, error);
        REQUIRE(s);
        while (s->pump(s->timeline().size() + 1000)) {
        }
        CHECK(s->error().empty());
        return s->meta().kernel;
    };
    CHECK(kernel_of({}) == "5.15.24");
    CHECK(kernel_of(*kernel_version("6.1")) == "6.1");
    CHECK(check("local p = pipe()\nkernel{version = '5.15'}").message.find("before everything else") != std::string::npos);
    CHECK(check("kernel{version = '9.9'}").message.find("not a kernel the model knows; known are 5.10,") != std::string::npos);
    CHECK(check("kernel{version = '5.15', features = 'no-such'}").unreadable);
}

TEST_CASE("history: run(t, \"until\", stage) stops a task there, and others go on") {
    const CaseResult r = check("local p = pipe()\n"
                               "local t = task('t', function() local n = write(p.w, 'ab') return n + write(p.w, 'c') end)\n"
                               "expect(run(t, 'until', 'w_copy'), 'w_copy')\n"
                               "expect(fionread(p.w) == 'x', false)\n");
    CHECK(r.message == "FIONREAD would block for ever"); // t has the mutex
    const CaseResult whole = check("local p = pipe()\n"
                                   "local t = task('t', function() local n = write(p.w, 'ab') return n + write(p.w, 'c') end)\n"
                                   "expect(run(t, 'until', 'w_lock'), 'w_lock')\n"
                                   "expect(write(p.w, 'x'), 1)\n"
                                   "expect(run(t, 'until', 'w_merge_copy'), 'w_merge_copy')\n"
                                   "expect(run(t, 'until', 'w_merge_copy'), 'w_merge_copy')\n"
                                   "expect(run(t, 'until', 'w_sleep'), 3)\n"
                                   "expect(fionread(p.r), 4)\n"
                                   "local u = task('u', function() return read(pipe().r, 1) end)\n"
                                   "expect(run(u, 'until', 'r_copy'), 'blocked')");
    CHECK(whole.message == "");
    CHECK(check("local t = task('t', function() end)\nrun(t, 'until', 'w_nothing')").message == "no stage is called \"w_nothing\"");
}

TEST_CASE("history: a feature changes what it is about and nothing else") {
    const auto result = [](const std::string& f, const char* kernel) { return check_on_model(f, *kernel_version(kernel)).status; };
    const auto litmus = files_in("tests/litmus");
    for (const char* quiet :
        {"6.18+dirty-pipe", "6.18+torn-head-tail", "6.18+resize-lost-wakeup", "6.18+tee-refcount", "5.10.101", "5.15.24", "6.1.20", "6.14-rc5"})
        for (const std::string& f : litmus) { // no case of today happens upon one of these
            CAPTURE(quiet);
            CAPTURE(f);
            CHECK(result(f, quiet) != CaseStatus::failed);
        }
    for (const std::string& f : litmus) {
        CAPTURE(f);
        if (text_of(f).find("vmsplice") == std::string::npos) CHECK(result(f, "vmsplice-copy") != CaseStatus::failed);
    }
    for (const auto& [kernel, name] : {std::pair{"6.18+herd", "readers_wake_in_order"}, {"6.18+waiting-writers", "read_takes_what_is_there"},
             {"6.18+linked-merge", "tee_then_each_merges_alone"}, {"6.18+close-wakes-one", "end_of_file_wakes_all"},
             {"6.18+resize-no-wake", "resize_frees_all_writers"}, {"6.18+wake-still-full", "writers_wake_by_slots"},
             {"6.18+slot-before-copy", "write_from_a_hole"}, {"6.18+epollet-lost", "epoll_fires_for_each_write"},
             {"6.18+cow-thp", "fork_huge_page_is_safe"}, {"6.18+cow-4k", "fork_keeps_the_old_contents"},
             {"vmsplice-copy", "vmsplice_shares_the_page"}}) {
        CAPTURE(kernel);
        CHECK(result(std::string(PIPESCOPE_SOURCE_DIR) + "/tests/litmus/" + name + ".lua", kernel) == CaseStatus::failed);
    }
}

TEST_CASE("NOT-BUGS: every entry names a litmus case, and each that is named exists") {
    std::istringstream in(text_of(std::string(PIPESCOPE_SOURCE_DIR) + "/docs/NOT-BUGS.md"));
    std::string entry, line;
    int entries = 0;
    const auto finish = [&] {
        if (entry.rfind("**", 0) == 0) {
            ++entries;
            INFO(entry);
            int cases = 0;
            const std::size_t at = entry.find("Case: ");
            CHECK(at != std::string::npos);
            for (std::size_t from = at; from != std::string::npos && (from = entry.find('`', from)) != std::string::npos; ++cases) {
                const std::string name = entry.substr(from + 1, entry.find('`', from + 1) - from - 1);
                CAPTURE(name);
                CHECK(std::filesystem::exists(std::string(PIPESCOPE_SOURCE_DIR) + "/tests/litmus/" + name + ".lua"));
                from = entry.find('`', from + 1) + 1;
            }
            CHECK(cases > 0);
        }
        entry.clear();
    };
    while (std::getline(in, line))
        if (line.empty()) finish();
        else entry += line + "\n";
    finish();
    CHECK(entries >= 16);
}
