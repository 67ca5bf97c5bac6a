// SPDX-License-Identifier: MIT
// Kernels by name: series, releases with the bugs they still had, and features added to any of them.
#include "core/version.hpp"
#include <doctest/doctest.h>

using namespace pipescope;

namespace {
bool has(const char* kernel, const char* feature) {
    const auto v = kernel_version(kernel);
    REQUIRE(v);
    return has_feature(*v, *kernel_feature(feature));
}
} // namespace

TEST_CASE("version: a release stands for its series") {
    CHECK(kernel_version("6.18.44")->number == 618);
    CHECK(kernel_version("6.18.44")->name == "6.18.44");
    CHECK(kernel_version("6.12.8-generic")->number == 612);
    CHECK(kernel_version("6.1")->number == 601); // and not 6.12 or 6.18
    CHECK(kernel_version("6.14-rc3")->number == 614);
    for (const char* no : {"", "6", "6.", "6.13", "6.180", "7.0", "6.18x", "6.18.", "6.18-", "x6.18", "vmsplice", "+dirty-pipe", "6.18+", "6.18+no",
             "6.18+herd+", "6.18++herd", "6.18 ", "99999999999.1", "6.18.99999999"}) {
        CAPTURE(no);
        if (std::string_view(no) == "6.18-") CHECK(kernel_version(no)); // a build's own name may be empty
        else CHECK_FALSE(kernel_version(no));
    }
    CHECK_FALSE(KernelVersion{}.asked);
    CHECK(kernel_version("6.18")->asked);
    CHECK(kernel_of_release("6.17.3-arch1").number == 617);
    CHECK(kernel_of_release("6.17.3-arch1").name == "6.17.3");
}

TEST_CASE("version: a series is its last release, a release has the bugs of its time") {
    CHECK(has("5.10.101", "dirty-pipe"));
    CHECK_FALSE(has("5.10.102", "dirty-pipe"));
    CHECK_FALSE(has("5.10", "dirty-pipe"));
    CHECK(has("5.15.24", "dirty-pipe"));
    CHECK_FALSE(has("5.15.25", "dirty-pipe"));
    CHECK(has("5.17-rc5", "dirty-pipe"));
    CHECK_FALSE(has("5.17-rc6", "dirty-pipe"));
    CHECK_FALSE(has("6.1.1", "dirty-pipe"));
    CHECK(has("6.14-rc5", "torn-head-tail"));
    CHECK_FALSE(has("6.14-rc6", "torn-head-tail"));
    CHECK_FALSE(has("6.14", "torn-head-tail"));
    CHECK(has("6.1.20", "resize-lost-wakeup"));
    CHECK_FALSE(has("6.1", "resize-lost-wakeup"));
    CHECK(has("5.10", "cow-thp"));
    CHECK_FALSE(has("6.1", "cow-thp"));
    CHECK(has("5.10", "one-slot"));
    CHECK_FALSE(has("5.15", "one-slot"));
}

TEST_CASE("version: features by name, on any version") {
    const auto v = kernel_version("6.18+dirty-pipe+wake-still-full");
    REQUIRE(v);
    CHECK(v->dirty_pipe);
    CHECK_FALSE(v->wake_on_freed_slot);
    CHECK(v->number == 618);
    CHECK(v->name == "6.18+dirty-pipe+wake-still-full");
    CHECK(kernel_version("vmsplice-copy")->vmsplice_copies);
    CHECK(kernel_version("vmsplice-copy")->name == "vmsplice-copy");
    CHECK(kernel_version("vmsplice-copy+herd")->herd);
    CHECK(kernel_version("5.10+cow-thp")->name == "5.10"); // it has that anyway
    CHECK(kernel_version("5.10.101+dirty-pipe+herd")->name == "5.10.101+herd");
    CHECK(kernel_version("6.1+vmsplice-copy")->vmsplice_copies);
    for (const KernelFeature& f : kernel_features()) {
        CAPTURE(f.name);
        CHECK_FALSE(has_feature(KernelVersion{}, f)); // 6.18 has none of them
        CHECK(has_feature(*kernel_version("6.18", f.name), f));
        CHECK_FALSE(f.kernels.empty());
        CHECK_FALSE(f.fix.empty());
    }
    CHECK(*kernel_version("6.18") == [] {
        KernelVersion d;
        d.asked = true;
        return d;
    }()); // the usual one is 6.18
    const std::string line = unknown_kernel("7.0");
    CHECK(line.rfind("7.0: not a kernel the model knows; known are 5.10, 5.15,", 0) == 0);
    CHECK(line.find("vmsplice-copy") != std::string::npos);
    CHECK(line.find("+dirty-pipe") != std::string::npos);
    CHECK(line.find('\n') == std::string::npos);
}
