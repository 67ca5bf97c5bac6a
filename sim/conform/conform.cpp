// SPDX-License-Identifier: MIT
// Running both sides in step, comparing what can be seen, and shrinking a sequence that differs.
#include "sim/conform/conform.hpp"
#include "core/describe.hpp"
#include "sim/conform/side.hpp"
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>
#include <fmt/format.h>
#include <mutex>
#include <thread>

namespace pipescope::conform {
namespace {

using Clock = std::chrono::steady_clock;
constexpr std::size_t episode = 1500; // calls on one set of objects: shrinking stays short, rare states are still reached

std::string name(long r) { return r < 0 ? errno_name(static_cast<int>(-r)) : std::to_string(r); }

struct Pair {
    std::uint64_t kernel, model;
};

// Both rings, slot by slot; pages by which slots share one, over all pipes. "" when alike.
std::string compare_ring(std::uint32_t p, const Ring& k, const Ring& m, std::vector<Pair>& pages) {
    if (k.head != m.head || k.tail != m.tail || k.ring_size != m.ring_size)
        return fmt::format("pipe {}: kernel head={} tail={} slots={}, model head={} tail={} slots={}", p + 1, k.head, k.tail, k.ring_size, m.head, m.tail,
            m.ring_size);
    if (k.tmp_pages != m.tmp_pages) return fmt::format("pipe {}: kernel keeps {} spare pages, model {}", p + 1, k.tmp_pages, m.tmp_pages);
    for (std::size_t i = 0; i < k.slots.size(); ++i) {
        const Slot &a = k.slots[i], &b = m.slots[i];
        if (a.offset != b.offset || a.len != b.len || a.flags != b.flags || a.user != b.user)
            return fmt::format("pipe {}, index {}: kernel {}+{} [{}] user page {}, model {}+{} [{}] user page {}", p + 1, k.tail + i, a.offset, a.len,
                buf_flags_string(a.flags), a.user, b.offset, b.len, buf_flags_string(b.flags), b.user);
        pages.push_back({a.page, b.page});
    }
    return "";
}

std::string compare_pages(std::vector<Pair>& pages) {
    for (const bool by_kernel : {true, false}) {
        const auto key = [&](const Pair& v) { return by_kernel ? v.kernel : v.model; };
        const auto other = [&](const Pair& v) { return by_kernel ? v.model : v.kernel; };
        std::sort(pages.begin(), pages.end(), [&](const Pair& a, const Pair& b) { return key(a) < key(b); });
        for (std::size_t i = 1; i < pages.size(); ++i)
            if (key(pages[i]) == key(pages[i - 1]) && other(pages[i]) != other(pages[i - 1]))
                return by_kernel ? "two slots share a page in the kernel and not in the model" : "two slots share a page in the model and not in the kernel";
    }
    return "";
}

bool same_bytes(const ModelSide& m, const KernelSide& k, Area area, std::uint64_t off, std::uint64_t n) {
    static const PageBytes zeros{};
    for (std::uint64_t i = off; i < off + n;) {
        const std::uint64_t in_page = i & (page_size - 1), part = std::min<std::uint64_t>(page_size - in_page, off + n - i);
        const auto index = static_cast<std::uint32_t>(i / page_size);
        if (index >= area_pages[static_cast<std::size_t>(area)]) break;
        const std::uint8_t *a = m.page(area, index), *b = k.page(area, index);
        if (b && std::memcmp((a ? a : zeros.data()) + in_page, b + in_page, part) != 0) return false;
        i += part;
    }
    return true;
}

class Run {
public:
    Run(const Options& o, RingReader* reader, Report& report) : o_(o), reader_(reader), report_(report) {}

    // On a thread of its own: its task_frag, which bytes out of sockets are copied to, begins empty, as the model's does.
    std::optional<std::size_t> operator()(const std::vector<Op>& ops, std::string& what, std::vector<long>* results, bool count) {
        std::optional<std::size_t> at;
        std::thread([&] { at = run(ops, what, results, count); }).join();
        return at;
    }
    double model_seconds() const { return std::chrono::duration<double>(model_time_).count(); }

private:
    // Runs the operations on fresh objects. The index of the first that differs, or none; `results` are the kernel's.
    std::optional<std::size_t> run(const std::vector<Op>& ops, std::string& what, std::vector<long>* results, bool count) {
        std::string error;
        const std::unique_ptr<KernelSide> kernel = KernelSide::make(reader_, error);
        if (!kernel) {
            report_.error = error;
            return std::nullopt;
        }
        auto t = Clock::now();
        ModelSide model(o_.version, kernel->anon_zero_page());
        model_time_ += Clock::now() - t;
        for (std::size_t i = 0; i < ops.size(); ++i) {
            const Op& op = ops[i];
            t = Clock::now();
            const long m = model.call(op);
            const auto model_look = model.look();
            model_time_ += Clock::now() - t;
            const long k = kernel->call(op);
            if (results) results->push_back(k);
            if (count) ++report_.calls;
            if (k != m) {
                what = fmt::format("kernel gives {}, model {}", name(k), name(m));
                return i;
            }
            const auto kernel_look = kernel->look();
            for (std::uint32_t p = 0; p < pipes; ++p)
                if (!(kernel_look[p] == model_look[p])) {
                    const Look &a = kernel_look[p], &b = model_look[p];
                    what = fmt::format("pipe {}: kernel FIONREAD {} poll {}/{} size {}, model FIONREAD {} poll {}/{} size {}", p + 1, name(a.fionread),
                        poll_string(a.poll_read), poll_string(a.poll_write), name(a.size), name(b.fionread), poll_string(b.poll_read),
                        poll_string(b.poll_write), name(b.size));
                    return i;
                }
            if (of_sockets(op.kind)) {
                t = Clock::now();
                const SocketLooks ms = model.look_sockets();
                model_time_ += Clock::now() - t;
                const SocketLooks ks = kernel->look_sockets();
                for (std::size_t e = 0; e < ks.size(); ++e)
                    if (!(ks[e] == ms[e])) {
                        what = fmt::format("socket s[{}].{}: kernel FIONREAD {} poll {}, model FIONREAD {} poll {}", e / 2 + 1, e % 2 ? "b" : "a",
                            name(ks[e].fionread), poll_string(ks[e].poll), name(ms[e].fionread), poll_string(ms[e].poll));
                        return i;
                    }
            }
            if (reads_memory(op.kind) && !same_bytes(model, *kernel, op.area, op.off, k > 0 ? static_cast<std::uint64_t>(k) : 0)) {
                what = "the bytes that were read differ";
                return i;
            }
            if (o_.ring && !rings(model, *kernel, !count || i % 16 == 0, what)) return i;
        }
        return std::nullopt;
    }
    bool rings(ModelSide& model, KernelSide& kernel, bool identify, std::string& what) {
        pages_.clear();
        for (std::uint32_t p = 0; p < pipes; ++p) {
            const std::optional<Ring> k = kernel.ring(p, identify);
            if (!k) {
                ++report_.skipped;
                continue;
            }
            const auto t = Clock::now();
            const Ring m = model.ring(p, identify);
            model_time_ += Clock::now() - t;
            what = compare_ring(p, *k, m, pages_);
            if (!what.empty()) return false;
        }
        what = compare_pages(pages_);
        return what.empty();
    }
    const Options& o_;
    RingReader* reader_;
    Report& report_;
    std::vector<Pair> pages_;
    Clock::duration model_time_{};
};

// Takes away what is not needed for a difference, in ever smaller pieces.
std::vector<Op> shrink(Run& run, std::vector<Op> ops) {
    std::string what;
    for (std::size_t piece = ops.size() / 2; piece; piece /= 2)
        for (std::size_t at = 0; at + 1 < ops.size();) {
            std::vector<Op> less = ops;
            const auto from = less.begin() + static_cast<std::ptrdiff_t>(at);
            less.erase(from, from + static_cast<std::ptrdiff_t>(std::min(piece, ops.size() - 1 - at)));
            const auto still = run(less, what, nullptr, false);
            if (still) {
                less.resize(*still + 1);
                ops = less;
            } else {
                at += piece;
            }
        }
    return ops;
}

// Episodes are independent of each other: each CPU takes the next one. What is reported is the first that differs.
class Episodes {
public:
    Episodes(const Options& o, Report& report) : o_(o), report_(report) {}

    std::size_t count() const { return static_cast<std::size_t>((o_.ops + episode - 1) / episode); }
    std::vector<Op> ops(std::size_t round) const {
        Generator generator(o_.seed * 1000003 + round);
        std::vector<Op> out(std::min<std::uint64_t>(episode, o_.ops - round * episode));
        for (Op& op : out) op = generator.next();
        return out;
    }
    void work(RingReader* reader, const std::function<void(std::uint64_t)>& progress) {
        Report mine;
        Run run(o_, reader, mine);
        const auto start = Clock::now();
        auto said = start;
        std::uint64_t told = 0;
        for (std::size_t round = next_++; round < found_ && round < count() && mine.error.empty(); round = next_++) {
            const std::vector<Op> round_ops = ops(round);
            std::string what;
            const auto at = run(round_ops, what, nullptr, true);
            calls_ += mine.calls - told;
            told = mine.calls;
            if (at) {
                const std::lock_guard lock(mutex_);
                if (round < found_) found_ = round, at_ = *at, what_ = what;
            }
            if (progress && Clock::now() - said > std::chrono::seconds(1)) {
                said = Clock::now();
                progress(calls_);
            }
        }
        const std::lock_guard lock(mutex_);
        report_.calls += mine.calls;
        report_.skipped += mine.skipped;
        report_.model_seconds += run.model_seconds();
        report_.worker_seconds += std::chrono::duration<double>(Clock::now() - start).count();
        if (report_.error.empty()) report_.error = mine.error;
    }
    const std::string& what() const { return what_; } // differed there
    // The round that differs and the index in it; nothing when none did.
    std::optional<std::pair<std::size_t, std::size_t>> found() const {
        return found_ < count() ? std::optional(std::pair(found_.load(), at_)) : std::nullopt;
    }

private:
    const Options& o_;
    Report& report_;
    std::mutex mutex_;
    std::atomic<std::size_t> next_ = 0, found_ = SIZE_MAX;
    std::atomic<std::uint64_t> calls_ = 0;
    std::size_t at_ = 0;
    std::string what_;
};

} // namespace

Report conform(const Options& o, const std::function<void(std::uint64_t)>& progress) {
    Report report;
    const unsigned workers = std::clamp(std::thread::hardware_concurrency(), 1u, 8u);
    std::vector<std::unique_ptr<RingReader>> readers(workers);
    for (auto& reader : readers) {
        std::string why;
        if (o.ring) reader = RingReader::open(why);
        if (o.ring && !reader) {
            report.error = "rings cannot be read: " + why;
            return report;
        }
    }
    Episodes episodes(o, report);
    const auto start = Clock::now();
    std::vector<std::thread> threads;
    for (unsigned i = 1; i < workers; ++i) threads.emplace_back([&, i] { episodes.work(readers[i].get(), {}); });
    episodes.work(readers[0].get(), progress);
    for (std::thread& t : threads) t.join();
    report.seconds = std::chrono::duration<double>(Clock::now() - start).count();
    if (const auto found = episodes.found(); found && report.error.empty()) {
        report.differences = 1;
        Report again_report;
        Run run(o, readers[0].get(), again_report);
        std::vector<Op> ops = episodes.ops(found->first);
        ops.resize(found->second + 1);
        ops = shrink(run, ops);
        std::string what;
        std::vector<long> results;
        const auto again = run(ops, what, &results, false);
        report.message = again ? what : "a difference that did not come again: " + episodes.what();
        report.litmus = fmt::format("-- {} (model {}, seed {})\n", report.message, o.version.name, o.seed) + prologue_lua();
        for (std::size_t i = 0; i < results.size(); ++i) report.litmus += op_lua(ops[i], results[i]) + "\n";
    }
    return report;
}

} // namespace pipescope::conform
