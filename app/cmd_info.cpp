// SPDX-License-Identifier: MIT
// `info` reads a recording part by part, however long it is; `salvage` writes what is whole of a damaged one to a new file.
#include "app/cmd_info.hpp"
#include "app/info_text.hpp"
#include "app/printable.hpp"
#include "sim/recording/recording.hpp"
#include <fmt/format.h>
#include <memory>
#include <nlohmann/json.hpp>

namespace pipescope {
namespace {

int refuse(const std::string& error) {
    fmt::print(stderr, "{}\n", one_line(error));
    return 2;
}

int info(const std::string& path, bool json) {
    std::string error;
    const auto r = RecordingReader::open(path, error);
    if (!r) return refuse(error);
    InsightFold fold(r->meta());
    std::vector<Event> part;
    for (std::size_t i = 0; i < r->parts().size(); ++i) {
        part.clear();
        if (!r->read(i, part, error)) return refuse(error);
        for (const Event& e : part) fold.add(e);
    }
    const Insight insight = fold.finish(r->strings());
    const auto bytes = r->report().bytes;
    // Names and titles come from the file, in whatever bytes: JSON takes only well-formed UTF-8.
    if (json) fmt::print("{}\n", info_json(r->meta(), insight, path, bytes).dump(2, ' ', false, nlohmann::json::error_handler_t::replace));
    else fmt::print("{}", info_text(r->meta(), insight, path, bytes));
    return 0;
}

int salvage(const std::string& from, const std::string& to) {
    std::string error;
    ReadReport report;
    const auto trace = recording_read(from, error, true, &report); // whole, before `to` is touched: both may be one file
    if (!trace || !recording_write(to, *trace, error)) return refuse(error);
    fmt::print("{}: {} events saved from {} good chunks", to, trace->events.size(), report.chunks);
    if (report.bad_chunks) fmt::print("; {} damaged", report.bad_chunks);
    if (report.lost_events) fmt::print("; {} events are missing between good ones", report.lost_events);
    fmt::print("{}\n", report.footer_ok ? "" : "; its end was missing");
    return 0;
}

} // namespace

void add_info_command(CLI::App& app, std::function<int()>& run) {
    CLI::App* c = app.add_subcommand("info", "what a recording holds: pipes, tasks, throughput, where the time went");
    struct Options {
        std::string file;
        bool json = false;
    };
    const auto o = std::make_shared<Options>();
    c->add_option("file", o->file, "a recording")->required();
    c->add_flag("--json", o->json, "one JSON object with the same figures");
    c->callback([o, &run] { run = [o] { return info(o->file, o->json); }; });
}

void add_salvage_command(CLI::App& app, std::function<int()>& run) {
    CLI::App* c = app.add_subcommand("salvage", "what can be saved of a damaged recording");
    struct Options {
        std::string from, to;
    };
    const auto o = std::make_shared<Options>();
    c->add_option("file", o->from, "a damaged or cut recording")->required();
    c->add_option("-o,--output", o->to, "where to write what is whole")->required();
    c->callback([o, &run] { run = [o] { return salvage(o->from, o->to); }; });
}

} // namespace pipescope
