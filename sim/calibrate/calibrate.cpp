// SPDX-License-Identifier: MIT
// From measurements to a profile: sums of calls are solved for costs, then waking and switching for what is left.
#include "sim/calibrate/calibrate.hpp"
#include "core/version.hpp"
#include "sim/calibrate/clock.hpp"
#include "sim/running_kernel.hpp"
#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace pipescope {
namespace {

using enum Cost;
constexpr std::size_t index(Cost c) { return static_cast<std::size_t>(c); }

// Which calls are measured. Those on two CPUs are what the rungs do; those on one tell what is dearer for being elsewhere.
std::vector<Exchange> exchanges() {
    std::vector<Exchange> all;
    for (const bool two : {true, false}) {
        for (const std::uint32_t pages : {1u, 4u, 16u})
            if (two || pages == 1) all.push_back({.pages = pages, .two_cpus = two}); // more pages on one CPU never leave its cache
        for (const std::uint32_t pages : {1u, 16u, 32u}) all.push_back({.vmsplice = true, .pages = pages, .two_cpus = two});
        for (const std::uint32_t pages : {1u, 16u, 32u}) {
            all.push_back({.vmsplice = true, .splice = true, .pages = pages, .two_cpus = two});
            all.push_back({.vmsplice = true, .splice = true, .huge = true, .pages = pages, .two_cpus = two});
            all.push_back({.vmsplice = true, .splice = true, .touched = false, .pages = pages, .two_cpus = two});
        }
    }
    all.push_back({.pages = 1, .two_cpus = false, .ask = Ask::empty});
    all.push_back({.splice = true, .pages = 1, .two_cpus = false, .ask = Ask::empty});
    all.push_back({.vmsplice = true, .pages = 1, .two_cpus = false, .ask = Ask::full});
    return all;
}

// The series of the running kernel, or the last one before it that the model knows.
std::string series() {
    std::string name{kernel_versions[0]};
    for (const std::string_view v : kernel_versions)
        if (kernel_version(v)->number <= running_kernel().number) name = v;
    return name;
}

class Calibrator {
public:
    Calibrator(const CalibrateOptions& options, std::string& error) : options_(options), error_(error) {}
    std::optional<Calibration> run() {
        out_.profile = options_.base;
        out_.profile.kernel = series();
        for (std::string& s : out_.profile.source) s = "taken over from " + options_.base.name + ": not measured";
        if (!calls() || !mutexes() || !switching() || !waking()) return std::nullopt;
        chance();
        check();
        return std::move(out_);
    }

private:
    const CalibrateOptions& options_;
    std::string& error_;
    Calibration out_;
    std::vector<std::pair<Exchange, ExchangeTimes>> measured_;
    double spread_ = 0;

    Profile& p() { return out_.profile; }
    void set(Cost c, double value, std::string source) {
        p().at(c) = std::clamp(value, 0.0, 1e9);
        p().source[index(c)] = std::move(source);
    }
    void tell(const std::string& what) const {
        if (options_.told) options_.told(what);
    }

    bool calls() {
        tell("a system call");
        Equation syscall{"a system call", measure_syscall(), {}};
        std::array<bool, cost_count> free{};
        for (const Cost c : {syscall_entry, syscall_dispatch, syscall_exit, syscall_return}) syscall.times[index(c)] = 1, free[index(c)] = true;
        solve({&syscall, 1}, free, p().value);
        for (const Cost c : {syscall_entry, syscall_dispatch, syscall_exit, syscall_return})
            set(c, p()[c], fmt::format("measured as a sum of four, getppid() {:.0f} ns, which is split as in {}", syscall.ns, options_.base.name));
        set(eagain_return, p()[user_loop], "what a loop that calls again at once takes: as user_loop");

        std::vector<Equation> equations;
        std::vector<double> spreads;
        for (const Exchange& e : exchanges()) {
            tell(exchange_text(e));
            const auto t = measure_exchange(e, options_.cpu, options_.rounds, error_);
            if (!t) return false;
            measured_.emplace_back(e, *t);
            const Coefficients n = count_costs(e, p().kernel);
            const auto add = [&](const char* side, const Measured& m, const std::array<double, cost_count>& times) {
                if (m.ns <= 0) return;
                equations.push_back({fmt::format("{}: {}", exchange_text(e), side), m.ns, times, e.two_cpus ? 1 : 0.1});
                equations.back().times[index(user_loop)] = equations.back().times[index(eagain_return)] = 0; // outside of the call
                spreads.push_back(m.spread);
            };
            add("the writer", t->writer, n.writer);
            add("the reader", t->reader, n.reader);
        }
        spread_ = measured_of(spreads).ns;
        free = {};
        std::array<int, cost_count> sums{};
        for (const Equation& e : equations)
            for (std::size_t i = 0; i < cost_count; ++i)
                if (e.times[i] > 0) free[i] = true, ++sums[i];
        for (const Cost c : {syscall_entry, syscall_dispatch, syscall_exit, syscall_return}) free[index(c)] = false;
        solve(equations, free, p().value);
        for (std::size_t i = 0; i < cost_count; ++i)
            if (free[i])
                p().source[i] = fmt::format("solved from the measured times of {} calls that it is a part of, starting at {:.4g} of {}", sums[i],
                    options_.base.value[i], options_.base.name);
        return true;
    }

    bool mutexes() {
        tell("a cache line from CPU to CPU");
        if (!measure_line(options_.cpu, out_.line_ns, error_)) return false;
        // A spinner gets the owner's word with the one transfer that shows it free; then it needs what anybody needs who comes
        // after another CPU.
        set(mutex_grab, out_.line_ns, fmt::format("a cache line's way from CPU to CPU, measured {:.0f} ns: the owner's word, seen free and taken", out_.line_ns));
        set(mutex_handover, p()[mutex_lock_remote], "as mutex_lock_remote: the same lines of the pipe, whether the mutex was waited for or not");
        return true;
    }

    // What a task does to sleep and to come back, by one factor: they are measured as a sum.
    bool switching() {
        tell("two tasks that wake each other on one CPU");
        double switch_ns = 0;
        if (!measure_switch(options_.cpu[0], switch_ns, error_)) return false;
        constexpr Cost parts[] = {prepare_to_wait, finish_wait, schedule_commit, schedule_out, schedule_in, wake_idle, wake_switching, wake_cancelled};
        Profile trial = p();
        trial.at(latency_short) = trial.at(latency_long) = trial.at(latency_switching) = 0; // there is no idle CPU
        double low = 0.02, high = 200;
        for (int i = 0; i < 40; ++i) {
            const double factor = std::sqrt(low * high);
            for (const Cost c : parts) trial.at(c) = options_.base[c] * factor;
            (simulate_switch(trial) < switch_ns ? low : high) = factor;
        }
        for (const Cost c : parts)
            set(c, trial[c], fmt::format("measured as a sum: a byte from task to task on one CPU, {:.0f} ns, less what the calls take; split as in {}",
                    switch_ns, options_.base.name));
        out_.checks.push_back({"a byte from task to task on one CPU", switch_ns, simulate_switch(trial)});
        return true;
    }

    // Waking on another CPU: the waker's part, and the time until the woken one is back, after short and after long idling.
    bool waking() {
        tell("waking a task on an idle CPU");
        if (!measure_wake(options_.cpu, out_.wakes, error_)) return false;
        Profile trial = p();
        constexpr double later = 1e5;
        trial.at(wake_idle) = trial.at(latency_short) = trial.at(latency_long) = trial.at(latency_switching) = 0;
        const double write_ns = simulate_wake(trial).write_ns;
        // Where what it takes to be back changes most, there long idling begins; the rungs' sleeps are short ones.
        const auto& w = out_.wakes;
        std::size_t split = 1;
        double least = 1e300;
        const auto mean = [&](std::size_t a, std::size_t b, auto value) {
            double sum = 0;
            for (std::size_t i = a; i < b; ++i) sum += std::log(std::max(1.0, value(w[i])));
            return sum / static_cast<double>(b - a);
        };
        const auto read = [](const WakeAfter& x) { return x.read.ns; };
        for (std::size_t s = 1; s < w.size(); ++s) {
            double error = 0;
            for (std::size_t i = 0; i < w.size(); ++i) error += std::pow(std::log(read(w[i])) - (i < s ? mean(0, s, read) : mean(s, w.size(), read)), 2);
            if (error < least) least = error, split = s;
        }
        const std::string to = fmt::format("to {:.0f} µs", w[split - 1].wait_us), from = fmt::format("from {:.0f} µs", w[split].wait_us);
        set(wake_idle, std::exp(mean(0, split, [&](const WakeAfter& x) { return x.write.ns - write_ns; })),
            fmt::format("measured: how much longer a write takes when the reader sleeps on another CPU that is idle; mean over waits {}", to));
        trial.at(wake_idle) = p()[wake_idle];
        trial.at(latency_short) = trial.at(latency_long) = later; // than the end of the write
        const double back_ns = simulate_wake(trial).read_ns - later;
        const auto latency = [&](const WakeAfter& x) { return x.read.ns - back_ns; };
        for (const WakeAfter& x : w) {
            const double idle = simulate_wake(trial, x.wait_us * 1000 + out_.line_ns).idle_ns; // it is told by a line that the reader begins
            if (idle < 1 || (!p().wake.empty() && idle <= p().wake.back().idle_ns)) continue; // not asleep by then
            p().wake.push_back({idle, {}});
            for (std::size_t i = 0; i < x.seen.size(); i += 2)
                p().wake.back().seen.push_back({std::max(0.0, x.seen[i][0] - write_ns), std::max(0.0, x.seen[i][1] - back_ns)});
        }
        p().wake_source = "measured: every other one of the wake-ups of a reader, less what the calls and switching in take";
        std::vector<double> spreads;
        for (std::size_t i = 0; i < split; ++i) spreads.push_back(w[i].read.spread);
        const char* const how = "measured: from a write to the end of the read that it ends, less what the calls and switching in take; mean over waits {}";
        set(latency_short, std::exp(mean(0, split, latency)), fmt::format(fmt::runtime(how), to));
        set(latency_long, std::exp(mean(split, w.size(), latency)), fmt::format(fmt::runtime(how), from));
        set(idle_long, std::sqrt(w[split - 1].wait_us * w[split].wait_us) * 1000, "measured: where the latency changes most");
        set(jitter_latency, std::min(0.5, measured_of(spreads).ns), "measured: the middle of the spreads of the short ones, at most 0.5");
        return true;
    }

    void chance() {
        tell("what interrupts");
        const Interrupts a = measure_interrupts(options_.cpu[0]), b = measure_interrupts(options_.cpu[1]);
        double call = 0;
        for (const auto& [e, t] : measured_)
            if (e.vmsplice && e.splice && e.pages == exchange_slots && e.two_cpus && e.touched) call += t.writer.ns / 2;
        const double rate = (a.per_second + b.per_second) / 2;
        set(jitter_call, std::min(0.3, spread_), "measured: the middle of the calls' spreads, at most 0.3");
        set(delay_share, std::min(0.5, rate * call * 1e-9), fmt::format("measured: {:.0f} interruptions a second, for a call of {:.0f} ns", rate, call));
        set(delay_mean, (a.mean_ns + b.mean_ns) / 2, "measured: their mean; those of more than 20 µs are other programs' and left out");
        set(delay_spread, (a.spread + b.spread) / 2, "measured: their spread");
    }

    void check() {
        const Profile& made = p();
        for (const auto& [e, t] : measured_) {
            const ExchangeTimes s = simulate_exchange(e, made);
            const double outside = e.ask == Ask::exchange ? made[user_loop] : made[user_loop] + made[eagain_return];
            if (t.writer.ns > 0) out_.checks.push_back({exchange_text(e) + ": the writer", t.writer.ns, s.writer.ns - outside});
            if (t.reader.ns > 0) out_.checks.push_back({exchange_text(e) + ": the reader", t.reader.ns, s.reader.ns - outside});
        }
        for (const WakeAfter& w : out_.wakes) {
            const WakeRow* row = &made.wake.front();
            for (const WakeRow& r : made.wake)
                if (r.idle_ns < w.wait_us * 1000) row = &r;
            Profile at = made; // with the middle one of its row
            at.at(wake_idle) = row->seen[row->seen.size() / 2][0];
            at.at(latency_short) = at.at(latency_long) = row->seen[row->seen.size() / 2][1];
            const WakeTimes s = simulate_wake(at);
            out_.checks.push_back({fmt::format("a write to a reader that began {:.1f} µs before", w.wait_us), w.write.ns, s.write_ns});
            out_.checks.push_back({fmt::format("… until it is back in its program, {:.1f} µs", w.wait_us), w.read.ns, s.read_ns});
        }
    }
};

} // namespace

std::optional<Calibration> calibrate(const CalibrateOptions& options, std::string& error) { return Calibrator(options, error).run(); }

} // namespace pipescope
