// SPDX-License-Identifier: MIT
// Litmus cases: the verdict on one run, and the run on the model.
#include "sim/scenario/check.hpp"
#include "sim/model_backend.hpp"
#include "sim/scenario/sequencer.hpp"
#include <nlohmann/json.hpp>

namespace pipescope {

CaseResult play_case(
    const std::string& path, Backend& backend, const KernelVersion& kernel, const std::string& unknown, std::optional<KernelVersion>& wanted) {
    CaseResult out;
    out.file = path;
    out.on = backend.name();
    Script script(backend, kernel);
    script.unknown_reason = unknown;
    Sequencer seq(script, backend);
    seq.on_ended = [&](TaskId t) { // a thread leaves nothing behind, a process closes what it had
        if (!script.forked(t)) return;
        backend.exit_task(t);
        backend.settle();
    };
    if (script.load(path))
        while (seq.step() == Sequencer::State::running) {
        }
    wanted = script.wanted_kernel();
    out.expectations = script.expectations;
    out.skipped_expectations = script.skipped;
    out.results = std::move(seq.results);
    out.printed = std::move(script.printed);
    const auto verdict = [&](CaseStatus s, int line, const std::string& why) {
        out.status = s;
        out.line = line;
        out.message = why;
    };
    if (seq.state() == Sequencer::State::stuck) {
        verdict(CaseStatus::failed, seq.line(), seq.why());
        return out;
    }
    const ScriptStop& stop = script.stop();
    switch (stop.kind) {
    case ScriptStop::Kind::error: out.unreadable = true; [[fallthrough]];
    case ScriptStop::Kind::expectation: verdict(CaseStatus::failed, stop.line, stop.message); break;
    case ScriptStop::Kind::other_kernel: break;
    case ScriptStop::Kind::skip: verdict(CaseStatus::skipped, stop.line, stop.message); break;
    case ScriptStop::Kind::none:
        if (script.skipped)
            verdict(CaseStatus::skipped, script.first_skipped_line,
                std::to_string(script.skipped) + " of " + std::to_string(script.expectations) + " expectations skipped: " + unknown);
        else if (!script.expectations) verdict(CaseStatus::skipped, 0, "nothing was expected");
        break;
    }
    return out;
}

CaseResult check_on_model(const std::string& path, const KernelVersion& v) {
    const auto play = [&](const KernelVersion& kernel, std::optional<KernelVersion>& wanted) {
        ModelBackend model(kernel);
        return play_case(path, model, kernel, "the model has no answer", wanted);
    };
    std::optional<KernelVersion> wanted, again;
    CaseResult r = play(v, wanted);
    if (!wanted) return r;
    r = play(*wanted, again);
    r.kernel = wanted->name;
    return r;
}

std::string to_json(const CaseResult& r) {
    nlohmann::json j = {{"file", r.file}, {"on", r.on}, {"status", static_cast<int>(r.status)}, {"line", r.line}, {"message", r.message},
        {"expectations", r.expectations}, {"skipped", r.skipped_expectations}, {"unreadable", r.unreadable}, {"results", r.results},
        {"printed", r.printed}, {"kernel", r.kernel}};
    return j.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace); // a scenario's strings need not be UTF-8
}

bool from_json(const std::string& text, CaseResult& r) {
    const nlohmann::json j = nlohmann::json::parse(text, nullptr, false);
    if (j.is_discarded() || !j.is_object()) return false;
    try {
        r.file = j.at("file").get<std::string>();
        r.on = j.at("on").get<std::string>();
        r.status = static_cast<CaseStatus>(j.at("status").get<int>());
        r.line = j.at("line").get<int>();
        r.message = j.at("message").get<std::string>();
        r.expectations = j.at("expectations").get<int>();
        r.skipped_expectations = j.at("skipped").get<int>();
        r.unreadable = j.at("unreadable").get<bool>();
        r.results = j.at("results").get<std::vector<std::string>>();
        r.kernel = j.at("kernel").get<std::string>();
        r.printed = j.at("printed").get<std::vector<std::string>>();
    } catch (const nlohmann::json::exception&) {
        return false;
    }
    return true;
}

} // namespace pipescope
