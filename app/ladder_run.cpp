// SPDX-License-Identifier: MIT
// Runs the rungs.
#include "app/ladder_run.hpp"
#include <algorithm>
#include <cstdlib>
#include <exception>
#include <filesystem>

namespace pipescope {
namespace {

constexpr double least_share = 0.005; // of the tree
constexpr std::uintmax_t most_profile = 1 << 20; // bytes

} // namespace

double LadderRun::most() const {
    double out = 0;
    for (const LadderBar& b : bars) out = std::max({out, b.published, b.simulated});
    return out;
}

LadderRun ladder_run(const Profile& profile, std::uint64_t bytes) {
    LadderRun out;
    out.profile = profile.name, out.bytes = bytes;
    for (const Rung& rung : ladder_rungs()) {
        LadderBar b{rung.name, rung.published_gib_per_s, 0, run_rung(profile, rung.options, bytes, 1), {}};
        b.simulated = b.result.gib_per_s;
        b.costs = ledger_costs(b.result.ledger, least_share);
        out.bars.push_back(std::move(b));
    }
    return out;
}

std::optional<Profile> ladder_profile(const std::string& path, std::string& error) {
    if (path.empty()) return profile_builtin();
    std::error_code ec;
    if (!std::filesystem::exists(path, ec)) return error = path + ": no such file", std::nullopt;
    if (!std::filesystem::is_regular_file(path, ec)) return error = path + ": not a file", std::nullopt; // a device may never end
    if (std::filesystem::file_size(path, ec) > most_profile || ec) return error = path + ": too long for a cost profile", std::nullopt;
    try {
        return profile_load(path);
    } catch (const std::exception& e) {
        error = e.what();
        if (const std::size_t line = error.find('\n'); line != std::string::npos) error.resize(line);
        return std::nullopt;
    }
}

std::vector<ProfileFile> ladder_profiles() {
    std::vector<ProfileFile> out;
    const char* assets = std::getenv("PIPESCOPE_ASSETS");
    std::error_code ec;
    for (const auto& entry : std::filesystem::directory_iterator(std::string(assets ? assets : PIPESCOPE_ASSETS) + "/profiles", ec)) {
        std::string why;
        if (entry.path().extension() != ".toml") continue;
        const auto p = ladder_profile(entry.path().string(), why); // those of forwarders and of mbufs have other costs
        if (p && p->name != profile_builtin().name) out.push_back({p->name, entry.path().string()});
    }
    std::sort(out.begin(), out.end(), [](const ProfileFile& a, const ProfileFile& b) { return a.name < b.name; });
    out.insert(out.begin(), ProfileFile{profile_builtin().name, ""});
    return out;
}

std::vector<LadderFigure> ladder_figures(const RungResult& r) {
    const Counts& c = r.ledger.counts;
    const auto n = [&](std::uint64_t v) { return c.bytes_moved ? static_cast<double>(v) / static_cast<double>(c.bytes_moved) * (1 << 30) : 0; };
    return {{"copies of each byte", n(c.bytes_copied) / (1 << 30)}, {"pages allocated", n(c.pages_allocated)}, {"references taken", n(c.refs_taken)},
        {"page-table walks", n(c.walks)}, {"locks taken", n(c.locks)}, {"lock waits", n(c.lock_waits)}, {"sleeps", n(c.sleeps)},
        {"wake-ups", n(c.wake_ups)}, {"context switches", n(c.context_switches)}, {"system calls", n(c.syscalls)}, {"EAGAINs", n(c.eagains)}};
}

} // namespace pipescope
