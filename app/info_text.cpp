// SPDX-License-Identifier: MIT
// Says what a recording holds. What the capture did not show is said to be unknown, never shown as 0.
#include "app/info_text.hpp"
#include "app/findings_text.hpp"
#include "app/printable.hpp"
#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <set>

namespace pipescope {
namespace {

using Json = nlohmann::ordered_json;

template <class T> Json or_null(const std::optional<T>& v) { return v ? Json(*v) : Json(nullptr); }
Json or_null(const std::string& s) { return s.empty() ? Json(nullptr) : Json(s); }

const char* source_name(RingSource s) {
    switch (s) {
    case RingSource::kernel: return "kernel";
    case RingSource::inferred: return "inferred";
    case RingSource::model: break;
    }
    return "model";
}

std::string capture_words(const std::string& capture) {
    if (capture == "bpf") return "bpf: calls, ring, pages and waits were read from the kernel";
    if (capture == "bpf+fentry") return "bpf+fentry: as bpf, with the time that calls spent finding user pages, allocating and waking";
    if (capture == "syscalls") return "syscalls: calls and their results were seen; the ring is inferred by the model";
    if (capture == "model") return "model: a simulation, no live kernel was involved";
    return capture.empty() ? "unknown" : capture;
}

std::string known_by(const SlotCounts& c) {
    std::string out;
    const auto add = [&](std::uint64_t n, const char* how) {
        if (!n) return;
        const bool all = n == c.seen() - c.unknown;
        out += fmt::format("{}{}{}", out.empty() ? "" : ", ", all ? "" : fmt::format("{} ", n), how);
    };
    add(c.by_frame, "known by frame number");
    add(c.by_slot_kind, "known by the kind of slot");
    add(c.inferred, "inferred by the model");
    add(c.by_model, "computed by the model");
    return out.empty() ? "" : " (" + out + ")";
}

std::string percent(std::uint64_t part, std::uint64_t whole) {
    return whole ? fmt::format("{:5.1f} %", 100.0 * static_cast<double>(part) / static_cast<double>(whole)) : "";
}

std::string pipe_text(const PipeSummary& p, std::size_t number) {
    const SlotCounts& c = p.slots;
    std::string out = fmt::format("pipe {}: ring of {} slots, {}; {} left it\n", number, p.ring_size,
        p.source == RingSource::kernel     ? "read from the kernel"
        : p.source == RingSource::inferred ? "inferred by the model from the results of calls"
                                           : "computed by the model",
        bytes_text(p.bytes));
    // The owner that most is about comes first, then how that is known.
    struct Owned {
        std::uint64_t n;
        std::string what;
    };
    const Owned users{c.user, (p.user_pages_of.empty() ? "" : printable(p.user_pages_of) + "'s own ") + "user pages"};
    const Owned kernels{c.kernel, "kernel pages"};
    const bool users_first = c.user > 0;
    std::string rest = fmt::format(", {} {}", users_first ? kernels.n : users.n, users_first ? kernels.what : "user pages");
    for (const Owned& o : {Owned{c.page_cache, "page-cache pages"}, Owned{c.zero, "the zero page"}, Owned{c.socket, "socket pages"},
             Owned{c.unknown, "pages of an unknown owner"}})
        if (o.n) rest += fmt::format(", {} {}", o.n, o.what);
    const Owned& first = users_first ? users : kernels;
    const bool only = first.n == c.seen();
    const std::string pages = fmt::format("{} slots held {}{}{}{}", first.n, first.what, only ? known_by(c) : "", rest, only ? "" : known_by(c));
    if (c.seen()) out += fmt::format("pipe {}: {}\n", number, pages);
    else out += fmt::format("pipe {}: no slot was seen filled\n", number);
    if (c.unseen) out += fmt::format("pipe {}: {} more slots were filled and emptied between two looks\n", number, c.unseen);
    if (p.torn) out += fmt::format("pipe {}: {} of {} snapshots changed while they were read and count for nothing\n", number, p.torn, p.snapshots);
    return out;
}

// A line for each pipe: what a byte costs there.
std::string pipe_figures(const PipeFigures& p, const PipeSummary& s, const Figures& f, std::size_t number) {
    std::uint64_t calls = 0, again = 0, copied = 0, space = 0, data = 0;
    for (const std::uint32_t i : p.ends) {
        const EndFigures& e = f.ends[i];
        calls += e.calls + e.again_left_out, again += e.again.n + e.again_left_out, copied += e.copied_in + e.copied_out;
        space += e.sleeps_space.n, data += e.sleeps_data.n;
    }
    if (!calls || !s.bytes) return "";
    std::string out = fmt::format("pipe {}: ", number);
    if (const std::uint64_t slots = s.slots.seen() + s.slots.unseen) out += fmt::format("{:.0f} bytes a slot, ", static_cast<double>(s.bytes) / static_cast<double>(slots));
    out += fmt::format("{:.2f} copies a byte, EAGAIN from {} of {} calls", static_cast<double>(copied) / static_cast<double>(s.bytes), again, calls);
    if (f.sleeps_known) {
        const double mib = static_cast<double>(s.bytes) / (1 << 20);
        out += "; a MiB: ";
        if (!f.sleeps_inferred) out += fmt::format("{:.1f} wake-ups, ", static_cast<double>(p.wakes) / mib); // nobody saw any
        out += fmt::format("{:.1f} sleeps for space, {:.1f} for data{}", static_cast<double>(space) / mib, static_cast<double>(data) / mib,
            f.sleeps_inferred ? " (inferred)" : "");
    }
    return out + "\n";
}

// One line a task, so that many fit on a screen.
std::string times_text(const Summary& s) {
    if (s.tasks.empty()) return "";
    std::size_t width = 4;
    const auto name = [](const TaskSummary& t) { return printable(t.name) + (t.pid ? fmt::format(" ({})", t.pid) : ""); };
    for (const TaskSummary& t : s.tasks) width = std::max(width, name(t).size());
    const bool waits = std::any_of(s.tasks.begin(), s.tasks.end(), [](const TaskSummary& t) { return t.times.sleep_space.has_value(); });
    std::string out = fmt::format("{:<{}} {:>9} {:>11} {:>9}   {:>9} {:>9} {:>9} {:>9} {:>9}\n", "task", width, "calls", "moved", "sleeps", "outside",
        waits ? "at work" : "in calls", "lock", "ring full", "empty");
    for (const TaskSummary& t : s.tasks) {
        const TaskTimes& m = t.times;
        out += fmt::format("{:<{}} {:>9} {:>11} {:>9}", name(t), width, t.calls, bytes_text(t.bytes), m.sleep_space ? fmt::to_string(t.sleeps) : "unknown");
        const std::uint64_t all = m.user.value_or(0) + m.in_call.value_or(0) + m.lock_wait.value_or(0) + m.sleep_space.value_or(0) + m.sleep_data.value_or(0);
        out += "  ";
        for (const auto& ns : {m.user, m.in_call, m.lock_wait, m.sleep_space, m.sleep_data})
            out += fmt::format(" {:>9}", !ns ? "unknown" : all ? percent(*ns, all) : "-");
        out += '\n';
    }
    return out + (waits ? "  outside its calls on pipes; at work in them; waiting for a pipe's lock; asleep, the ring full or empty:\n"
                        : "  outside its calls on pipes; in them, waits included:\n") +
           "  shares of the time from its first call on a pipe to its last\n";
}

} // namespace

std::string info_text(const TraceMeta& meta, const Insight& insight, const std::string& path, std::uint64_t file_bytes) {
    const Summary& s = insight.summary;
    std::string out;
    const auto line = [&](const char* what, const std::string& value) {
        if (!value.empty()) out += fmt::format("{:<12}{}\n", what, printable(value));
    };
    line("recording", fmt::format("{}, {}", path, bytes_text(file_bytes)));
    if (meta.cut) line("", "cut off: its recorder came to no end; what it had written is here");
    line("title", meta.title);
    line("command", meta.command);
    line("kernel", meta.kernel.empty() ? "unknown" : meta.kernel);
    line("capture", capture_words(meta.capture));
    line("", meta.capture_reason);
    line("events", fmt::format("{}, {} lost{}", s.events, s.lost, s.refused ? fmt::format(", {} do not fit what came before them", s.refused) : ""));
    if (s.calls_left_out) line("", fmt::format("{} calls of busy loops that gave EAGAIN were counted and left out", s.calls_left_out));
    line("duration", (s.duration_ns ? ns_text(*s.duration_ns) : "unknown") +
                         (s.active_ns ? fmt::format(", {} from the first call to the last", ns_text(*s.active_ns)) : ""));
    line("bytes", s.bytes ? fmt::format("{} ({}) left the pipes{}", *s.bytes, bytes_text(*s.bytes), s.lost ? ", at least" : "") : "unknown");
    line("throughput", s.gib_per_s ? fmt::format("{:.3f} GiB/s", *s.gib_per_s) : "unknown");
    for (const std::string& text : beside_lines(insight.beside)) line("model", text);
    out += '\n';
    for (std::size_t i = 0; i < s.pipes.size(); ++i) {
        out += pipe_text(s.pipes[i], i + 1);
        if (i < insight.figures.pipes.size()) out += pipe_figures(insight.figures.pipes[i], s.pipes[i], insight.figures, i + 1);
    }
    if (!s.pipes.empty()) out += '\n';
    out += times_text(s);
    if (!insight.findings.empty()) out += '\n' + findings_text(insight.findings);
    return out;
}

Json info_json(const TraceMeta& meta, const Insight& insight, const std::string& path, std::uint64_t file_bytes) {
    const Summary& s = insight.summary;
    Json j;
    j["file"] = path;
    j["file_bytes"] = file_bytes;
    j["cut"] = meta.cut;
    j["title"] = meta.title;
    j["command"] = or_null(meta.command);
    j["kernel"] = or_null(meta.kernel);
    j["capture"] = or_null(meta.capture);
    j["capture_reason"] = or_null(meta.capture_reason);
    j["events"] = s.events;
    j["lost"] = s.lost;
    j["refused"] = s.refused;
    j["calls_left_out"] = s.calls_left_out;
    j["duration_ns"] = or_null(s.duration_ns);
    j["active_ns"] = or_null(s.active_ns);
    j["bytes"] = or_null(s.bytes);
    j["gib_per_s"] = or_null(s.gib_per_s);
    Json tasks = Json::array(); // none is a reference into j: a new key moves the others
    Json times = Json::object();
    std::set<std::string> names;
    for (const TaskSummary& t : s.tasks) {
        tasks.push_back({{"name", t.name}, {"pid", t.pid ? Json(t.pid) : Json(nullptr)}, {"calls", t.calls}, {"bytes", t.bytes},
            {"sleeps", t.times.sleep_space ? Json(t.sleeps) : Json(nullptr)}});
        // Two tasks of the same name are told apart by pid, or by number.
        std::string key = t.name;
        for (std::size_t n = 2; !names.insert(key).second; ++n) key = fmt::format("{} ({})", t.name, n == 2 && t.pid ? t.pid : n);
        const TaskTimes& m = t.times;
        times[key] = {{"user", or_null(m.user)}, {"in_call", or_null(m.in_call)}, {"lock_wait", or_null(m.lock_wait)},
            {"sleep_space", or_null(m.sleep_space)}, {"sleep_data", or_null(m.sleep_data)}, {"runnable", or_null(m.runnable)}};
    }
    j["tasks"] = std::move(tasks);
    j["time_by_task"] = std::move(times);
    Json pipes = Json::array();
    for (const PipeSummary& p : s.pipes) {
        const SlotCounts& c = p.slots;
        pipes.push_back({{"name", p.name}, {"inode", p.inode ? Json(p.inode) : Json(nullptr)}, {"ring_size", p.ring_size},
            {"ring_source", source_name(p.source)}, {"bytes", s.bytes ? Json(p.bytes) : Json(nullptr)},
            {"slots_by_owner", {{"kernel", c.kernel}, {"user", c.user}, {"page_cache", c.page_cache}, {"zero", c.zero}, {"socket", c.socket},
                                   {"unknown", c.unknown}}},
            {"slots_known_by", {{"frame_number", c.by_frame}, {"slot_kind", c.by_slot_kind}, {"model", c.by_model}, {"inferred", c.inferred}}},
            {"slots_unseen", c.unseen}, {"user_pages_of", or_null(p.user_pages_of)}, {"snapshots", p.snapshots}, {"torn_snapshots", p.torn}});
    }
    j["pipes"] = std::move(pipes);
    Json findings = Json::array();
    for (const Finding& f : insight.findings) findings.push_back({{"rule", f.rule}, {"text", f.text}, {"events", f.events}});
    j["findings"] = std::move(findings);
    const BesideReport& b = insight.beside;
    j["first_divergence"] = b.first ? Json(b.first->event) : Json(nullptr);
    j["divergence_text"] = b.first ? Json(b.first->text) : Json(nullptr);
    j["beside"] = {{"rings", b.rings}, {"results", b.results}, {"late", b.late}, {"resumed", b.resumed}, {"not_followed", b.not_followed},
        {"guessed", b.guessed}, {"unexplained", b.unexplained}};
    return j;
}

} // namespace pipescope
