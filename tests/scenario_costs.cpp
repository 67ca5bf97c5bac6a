// SPDX-License-Identifier: MIT
// What a step takes comes from the cost profile, and from nowhere else.
#include "sim/costs.hpp"
#include "sim/des/profile.hpp"
#include <cmath>
#include <doctest/doctest.h>

using namespace pipescope;

namespace {

std::uint64_t cost(Stage s, std::uint32_t c = 0, std::uint64_t y = 0) {
    Event e;
    e.kind = EventKind::stage, e.stage = s, e.c = c, e.y = y;
    return stage_cost(e);
}
std::uint64_t ns(double v) { return static_cast<std::uint64_t>(std::lround(v)); }

} // namespace

TEST_CASE("the program's own profile is the file's") {
    const Profile file = profile_load(PIPESCOPE_SOURCE_DIR "/assets/profiles/i7-8550u-5.17.toml");
    CHECK(profile_builtin().name == file.name);
    CHECK(profile_builtin().kernel == file.kernel);
    CHECK(profile_builtin().value == file.value);
}

TEST_CASE("a stage costs what the profile says") {
    const Profile& p = profile_builtin();
    CHECK(cost(Stage::w_lock) == ns(p[Cost::mutex_lock]));
    CHECK(cost(Stage::g_slow) == ns(p[Cost::gup_slow]));
    CHECK(cost(Stage::w_page) == ns(p[Cost::page_alloc_front] + p[Cost::page_alloc]));
    CHECK(cost(Stage::w_page, 0, 1) < cost(Stage::w_page) / 10);                  // the spare page
    CHECK(cost(Stage::w_wake, 0, 1) == ns(p[Cost::wake_queue] + p[Cost::wake_idle])); // somebody sleeps there
    CHECK(cost(Stage::w_wake) < 10);
    const auto copied = static_cast<double>(cost(Stage::w_copy, page_size, 100) - cost(Stage::w_copy, 0, 100));
    CHECK(std::abs(copied - p[Cost::copy_from_user]) <= 1);
    CHECK(std::abs(static_cast<double>(cost(Stage::v_drop, 16)) - 16 * p[Cost::ref_put]) <= 1);
    CHECK(step_costs().wake_latency_ns == ns(p[Cost::latency_short] + p[Cost::schedule_in] + p[Cost::finish_wait]));
}
