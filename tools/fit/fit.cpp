// SPDX-License-Identifier: MIT
// Fits a cost profile to the published figures: pipescope_fit PROFILE ROUNDS [SEED] improves the file in place; with 0 rounds
// it prints how far each figure is from its bound. A round is one Gauss-Newton step on the logarithms of the numbers: each is
// moved by some percent to see what it does to all figures, and a weak pull holds it near the value it began with. Runs are
// short and noisy: every round has seeds of its own, so that no lucky seed is fitted.
#include "sim/des/ladder.hpp"
#include <cmath>
#include <cstring>
#include <fmt/format.h>

using namespace pipescope;

namespace {

constexpr double rate_bound = 0.05, share_bound = 0.02; // what the figures are held to
constexpr std::uint64_t ring = 128 << 10, rings = 2400, seeds = 2;
constexpr double probe = 0.1, pull = 0.3, tight = 0.5; // tight: of a bound, from where on a figure counts for more

struct Figure {
    std::string name;
    double published, simulated, bound; // bound: of the difference
    double off() const { return (simulated - published) / bound; }
};

// The modes the published profiles show: touched 4 KiB pages spin, huge pages mostly sleep. Not held to a bound.
constexpr struct {
    const char* rung;
    double least, most;
} modes[] = {{"vmsplice/splice", 0, 0.25}, {"+huge pages", 0.55, 0.9}};

std::vector<Figure> figures(const Profile& p, std::uint64_t n_rings, std::uint64_t seed, std::uint64_t n_seeds) {
    std::vector<Figure> out;
    for (const Rung& g : ladder_rungs()) {
        const std::size_t first = out.size();
        out.push_back({g.name, g.published_gib_per_s, 0, rate_bound * g.published_gib_per_s});
        for (const Share& s : g.shares) out.push_back({std::string(g.name) + " " + s.path, s.published, 0, share_bound});
        double sleeps = 0;
        bool bistable = false; // only these need many rings
        for (const auto& m : modes) bistable = bistable || !std::strcmp(m.rung, g.name);
        const std::uint64_t n_bytes = ring * (bistable ? n_rings : n_rings / 3);
        for (std::uint64_t i = 0; i < n_seeds; ++i) {
            const RungResult r = run_rung(p, g.options, n_bytes, seed + i);
            const auto n = static_cast<double>(n_seeds);
            out[first].simulated += r.gib_per_s / n;
            for (std::size_t k = 0; k < g.shares.size(); ++k) out[first + 1 + k].simulated += r.ledger.share(g.shares[k].path) / n;
            sleeps += (r.writer_sleeps + r.reader_sleeps) / 2 / n;
        }
        for (const auto& m : modes)
            if (!std::strcmp(m.rung, g.name))
                out.push_back({std::string(g.name) + " sleeps", std::min(std::max(sleeps, m.least), m.most), sleeps, 0.2});
    }
    return out;
}

double loss(const std::vector<Figure>& all, const Profile& p, const Profile& start) {
    double sum = 0;
    for (const Figure& f : all) {
        const double x = std::abs(f.off());
        sum += x * x + (x > tight ? 20 * (x - tight) * (x - tight) : 0);
    }
    for (std::size_t i = 0; i < cost_count; ++i)
        if (start.value[i] > 0) {
            const double d = std::log(p.value[i] / start.value[i]);
            sum += pull * d * d;
        }
    return sum;
}

bool fitted(std::size_t i) {
    const auto c = static_cast<Cost>(i);
    return c != Cost::timeslice && c != Cost::page_fault;
}

// Solves m x = b by elimination; m is symmetric and positive definite.
std::vector<double> solve(std::vector<std::vector<double>> m, std::vector<double> b) {
    const std::size_t n = b.size();
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = i + 1; j < n; ++j) {
            const double f = m[j][i] / m[i][i];
            for (std::size_t k = i; k < n; ++k) m[j][k] -= f * m[i][k];
            b[j] -= f * b[i];
        }
    for (std::size_t i = n; i-- > 0;) {
        for (std::size_t k = i + 1; k < n; ++k) b[i] -= m[i][k] * b[k];
        b[i] /= m[i][i];
    }
    return b;
}

Profile stepped(const Profile& at, const Profile& start, const std::vector<std::size_t>& which, const std::vector<std::vector<double>>& slope,
    const std::vector<Figure>& now, double damping) {
    const std::size_t n = which.size();
    std::vector<std::vector<double>> m(n, std::vector<double>(n));
    std::vector<double> b(n);
    for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t k = 0; k < now.size(); ++k) {
            const double weight = std::abs(now[k].off()) > tight ? 5 : 1;
            b[i] -= weight * slope[i][k] * now[k].off();
            for (std::size_t j = 0; j < n; ++j) m[i][j] += weight * slope[i][k] * slope[j][k];
        }
        m[i][i] += pull + damping;
        b[i] -= pull * std::log(at.value[which[i]] / start.value[which[i]]);
    }
    Profile p = at;
    const std::vector<double> d = solve(m, b);
    for (std::size_t i = 0; i < n; ++i) p.value[which[i]] *= std::exp(std::min(0.4, std::max(-0.4, d[i])));
    return p;
}

void print(const std::vector<Figure>& all) {
    int beyond = 0;
    for (const Figure& f : all) {
        if (std::abs(f.off()) > 1) ++beyond;
        fmt::print("{:9.4f} {:9.4f}  {:+6.2f} of the bound{}  {}\n", f.published, f.simulated, f.off(), std::abs(f.off()) > 1 ? " !" : "  ", f.name);
    }
    fmt::print("{} of {} beyond their bound\n", beyond, all.size());
}

} // namespace

int main(int argc, char** argv) {
    if (argc < 3) {
        fmt::print(stderr, "pipescope_fit PROFILE ROUNDS [SEED]\n");
        return 2;
    }
    const std::string path = argv[1];
    const int rounds = std::atoi(argv[2]);
    std::uint64_t seed = argc > 3 ? std::strtoull(argv[3], nullptr, 10) : 1;
    Profile best = profile_load(path);
    const Profile start = best;
    for (int round = 0; round < rounds; ++round, seed += seeds) {
        const std::vector<Figure> now = figures(best, rings * 2, seed, seeds);
        double best_loss = loss(now, best, start);
        fmt::print("round {}: {:.2f}\n", round, best_loss);
        std::fflush(stdout);
        std::vector<std::size_t> which;
        for (std::size_t i = 0; i < cost_count; ++i)
            if (fitted(i) && best.value[i] > 0) which.push_back(i);
        std::vector<std::vector<double>> slope; // by number, by figure: bounds per unit of logarithm
        for (const std::size_t i : which) {
            Profile p = best;
            p.value[i] *= std::exp(probe);
            const std::vector<Figure> f = figures(p, rings, seed, seeds);
            slope.emplace_back();
            for (std::size_t k = 0; k < f.size(); ++k) slope.back().push_back((f[k].off() - now[k].off()) / probe);
        }
        Profile next = best;
        for (const double damping : {1000.0, 300.0, 100.0, 40.0}) {
            const Profile p = stepped(best, start, which, slope, now, damping);
            const double l = loss(figures(p, rings * 2, seed, seeds), p, start);
            fmt::print("  damped by {}: {:.2f}\n", damping, l);
            if (l < best_loss) next = p, best_loss = l;
        }
        best = next;
        profile_save(best, path);
    }
    print(figures(best, 10000, seed + 1000, 3)); // seeds that nothing was fitted to
    return 0;
}
