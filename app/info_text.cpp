// SPDX-License-Identifier: MIT
// Says what a recording holds. What the capture did not show is said to be unknown, never shown as 0.
#include "app/info_text.hpp"
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

// What a file says goes to a terminal: control characters have no business there.
std::string printable(std::string s) {
    for (char& ch : s)
        if (static_cast<unsigned char>(ch) < ' ' || ch == 0x7f) ch = '?';
    return s;
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

std::string time_text(const TaskSummary& t) {
    const TaskTimes& m = t.times;
    std::string out = fmt::format("{}{}: {} calls, {} moved, {} sleeps\n", printable(t.name), t.pid ? fmt::format(" (pid {})", t.pid) : "", t.calls,
        bytes_text(t.bytes), m.sleep_space ? fmt::to_string(t.sleeps) : "unknown");
    if (!m.user) return out + "  where its time went is unknown: no call was seen\n";
    const std::uint64_t all = *m.user + *m.in_call + m.lock_wait.value_or(0) + m.sleep_space.value_or(0) + m.sleep_data.value_or(0);
    const auto line = [&](const char* what, const std::optional<std::uint64_t>& ns) {
        out += ns ? fmt::format("  {:<28} {:>10} {}\n", what, ns_text(*ns), percent(*ns, all)) : fmt::format("  {:<28} {:>10}\n", what, "unknown");
    };
    line("in user code", m.user);
    line(m.sleep_space && m.lock_wait ? "in calls, at work" : "in calls, waits included", m.in_call);
    line("waiting for the pipe's lock", m.lock_wait);
    line("asleep, the ring full", m.sleep_space);
    line("asleep, the ring empty", m.sleep_data);
    return out;
}

} // namespace

std::string bytes_text(std::uint64_t n) {
    static constexpr const char* units[] = {"bytes", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    double v = static_cast<double>(n);
    std::size_t u = 0;
    for (; v >= 1024 && u + 1 < std::size(units); ++u) v /= 1024;
    return u ? fmt::format("{:.2f} {}", v, units[u]) : fmt::format("{} {}", n, n == 1 ? "byte" : "bytes");
}

std::string ns_text(std::uint64_t ns) {
    const double v = static_cast<double>(ns);
    if (ns < 1'000) return fmt::format("{} ns", ns);
    if (ns < 1'000'000) return fmt::format("{:.2f} us", v / 1e3);
    if (ns < 1'000'000'000) return fmt::format("{:.2f} ms", v / 1e6);
    return fmt::format("{:.3f} s", v / 1e9);
}

std::string info_text(const TraceMeta& meta, const Summary& s, const std::string& path, std::uint64_t file_bytes) {
    std::string out;
    const auto line = [&](const char* what, const std::string& value) {
        if (!value.empty()) out += fmt::format("{:<12}{}\n", what, printable(value));
    };
    line("recording", fmt::format("{}, {}", path, bytes_text(file_bytes)));
    line("title", meta.title);
    line("command", meta.command);
    line("kernel", meta.kernel.empty() ? "unknown" : meta.kernel);
    line("capture", capture_words(meta.capture));
    line("", meta.capture_reason);
    line("events", fmt::format("{}, {} lost{}", s.events, s.lost, s.refused ? fmt::format(", {} do not fit what came before them", s.refused) : ""));
    if (s.calls_left_out) line("", fmt::format("{} calls of busy loops that gave EAGAIN were counted and left out", s.calls_left_out));
    line("duration", s.duration_ns ? ns_text(*s.duration_ns) : "unknown");
    line("bytes", s.bytes ? fmt::format("{} ({}) left the pipes{}", *s.bytes, bytes_text(*s.bytes), s.lost ? ", at least" : "") : "unknown");
    line("throughput", s.gib_per_s ? fmt::format("{:.3f} GiB/s", *s.gib_per_s) : "unknown");
    out += '\n';
    for (std::size_t i = 0; i < s.pipes.size(); ++i) out += pipe_text(s.pipes[i], i + 1);
    if (!s.pipes.empty()) out += '\n';
    for (const TaskSummary& t : s.tasks) out += time_text(t);
    return out;
}

Json info_json(const TraceMeta& meta, const Summary& s, const std::string& path, std::uint64_t file_bytes) {
    Json j;
    j["file"] = path;
    j["file_bytes"] = file_bytes;
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
    j["bytes"] = or_null(s.bytes);
    j["gib_per_s"] = or_null(s.gib_per_s);
    Json& tasks = j["tasks"] = Json::array();
    Json& times = j["time_by_task"] = Json::object();
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
    Json& pipes = j["pipes"] = Json::array();
    for (const PipeSummary& p : s.pipes) {
        const SlotCounts& c = p.slots;
        pipes.push_back({{"name", p.name}, {"inode", p.inode ? Json(p.inode) : Json(nullptr)}, {"ring_size", p.ring_size},
            {"ring_source", source_name(p.source)}, {"bytes", s.bytes ? Json(p.bytes) : Json(nullptr)},
            {"slots_by_owner", {{"kernel", c.kernel}, {"user", c.user}, {"page_cache", c.page_cache}, {"zero", c.zero}, {"socket", c.socket},
                                   {"unknown", c.unknown}}},
            {"slots_known_by", {{"frame_number", c.by_frame}, {"slot_kind", c.by_slot_kind}, {"model", c.by_model}, {"inferred", c.inferred}}},
            {"slots_unseen", c.unseen}, {"user_pages_of", or_null(p.user_pages_of)}, {"snapshots", p.snapshots}, {"torn_snapshots", p.torn}});
    }
    j["findings"] = Json::array();
    j["first_divergence"] = nullptr;
    return j;
}

} // namespace pipescope
