// SPDX-License-Identifier: MIT
// Runs litmus cases, prints a line for each and the count of verdicts at the end.
#include "app/cmd_check.hpp"
#include "app/options.hpp"
#include "app/printable.hpp"
#include "sim/scenario/scenario.hpp"
#include <algorithm>
#include <fmt/format.h>
#include <memory>
#include <nlohmann/json.hpp>

namespace pipescope {
namespace {

struct CheckOptions {
    std::vector<std::string> files;
    std::string on = "model", kernel;
    bool json = false;
};

const char* status_name(CaseStatus s) {
    switch (s) {
    case CaseStatus::passed: return "passed";
    case CaseStatus::failed: return "failed";
    case CaseStatus::skipped: return "skipped";
    }
    return "";
}

std::string place(const CaseResult& r) { return r.line ? fmt::format("{}:{}", r.file, r.line) : r.file; }

// Both runs held by themselves; they must also have given the same result call by call.
bool compare(const CaseResult& model, const CaseResult& kernel, CaseResult& out) {
    if (model.status == CaseStatus::failed || kernel.status == CaseStatus::failed || model.results == kernel.results) return false;
    if (!model.kernel.empty()) return false;                           // two kernels on purpose
    if (model.results.empty() || kernel.results.empty()) return false; // one of the two never began
    const std::size_t n = std::min(model.results.size(), kernel.results.size());
    const auto differ = std::mismatch(model.results.begin(), model.results.begin() + static_cast<std::ptrdiff_t>(n), kernel.results.begin());
    const auto at = static_cast<std::size_t>(differ.first - model.results.begin());
    const auto show = [&](const CaseResult& r) { return at < r.results.size() ? r.results[at] : std::string("no more calls"); };
    out.file = model.file;
    out.on = "both";
    out.status = CaseStatus::failed;
    out.message = fmt::format("call {} differs: {} on the model, {} on the kernel", at + 1, show(model), show(kernel));
    const std::string& line = show(model);
    if (line.rfind("line ", 0) == 0) out.line = std::atoi(line.c_str() + 5);
    return true;
}

void print(const CaseResult& r) {
    for (const std::string& line : r.printed) fmt::print("  {}\n", printable(line));
    switch (r.status) {
    case CaseStatus::passed: fmt::print("ok      {} on {}{}{}\n", printable(r.file), r.on, r.kernel.empty() ? "" : " as ", r.kernel); break;
    case CaseStatus::failed: fmt::print("FAILED  {}: {} (on {})\n", printable(place(r)), printable(r.message), r.on); break;
    case CaseStatus::skipped: fmt::print("skipped {}: {} (on {})\n", printable(place(r)), printable(r.message), r.on); break;
    }
}

int check(const CheckOptions& o) {
    const auto version = kernel_option(o.kernel);
    if (!version) return 2;
    std::vector<CaseResult> cases;
    bool unreadable = false; // the others are run all the same
    for (const std::string& file : o.files) {
        std::vector<CaseResult> runs;
        if (o.on != "kernel") runs.push_back(check_on_model(file, *version));
        // What Lua refuses once it refuses again; a message twice helps nobody.
        if (o.on != "model" && (runs.empty() || !runs[0].unreadable)) runs.push_back(check_on_kernel(file));
        const auto refused = std::find_if(runs.begin(), runs.end(), [](const CaseResult& r) { return r.unreadable; });
        if (refused != runs.end()) {
            fmt::print(stderr, "{}: {}\n", one_line(place(*refused)), one_line(refused->message));
            unreadable = true;
            continue;
        }
        CaseResult difference;
        if (runs.size() == 2 && compare(runs[0], runs[1], difference)) runs.push_back(difference);
        for (CaseResult& r : runs) {
            if (!o.json) print(r);
            cases.push_back(std::move(r));
        }
    }
    const auto count = [&](CaseStatus s) { return std::count_if(cases.begin(), cases.end(), [&](const CaseResult& r) { return r.status == s; }); };
    const auto passed = count(CaseStatus::passed), failed = count(CaseStatus::failed), skipped = count(CaseStatus::skipped);
    if (o.json) {
        nlohmann::json list = nlohmann::json::array();
        for (const CaseResult& r : cases)
            list.push_back({{"file", r.file}, {"on", r.on}, {"status", status_name(r.status)}, {"line", r.line}, {"message", r.message}});
        const nlohmann::json all = {{"passed", passed}, {"failed", failed}, {"skipped", skipped}, {"cases", list}};
        fmt::print("{}\n", all.dump(2, ' ', false, nlohmann::json::error_handler_t::replace));
    } else {
        fmt::print("{} passed, {} failed, {} skipped\n", passed, failed, skipped);
    }
    return unreadable ? 2 : failed ? 1 : 0;
}

} // namespace

void add_check_command(CLI::App& app, std::function<int()>& run) {
    const auto o = std::make_shared<CheckOptions>();
    CLI::App* const sub = app.add_subcommand("check", "run litmus cases on the model, on the live kernel, or on both");
    sub->add_option("FILE", o->files, "scenario files with expectations")->required();
    sub->add_option("--on", o->on, "model, kernel or both")->check(CLI::IsMember({"model", "kernel", "both"}))->capture_default_str();
    sub->add_option("--kernel", o->kernel, kernel_help);
    sub->add_flag("--json", o->json, "one JSON object instead of lines");
    sub->callback([o, &run] { run = [o] { return check(*o); }; });
}

} // namespace pipescope
