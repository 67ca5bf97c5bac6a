// SPDX-License-Identifier: MIT
// The litmus cases on every version that the model knows: passed inside the range a case names, skipped outside it.
#include "scenario_case.hpp"
#include "sim/running_kernel.hpp"
#include <cstdlib>
#include <doctest/doctest.h>

using namespace scenario_test;

namespace {

struct Range {
    int min = 0, max = 9999;
    bool limited() const { return min > 0 || max < 9999; }
    bool holds(int n) const { return n >= min && n <= max; }
};

// `min = "6.12"` in the case's text gives 612; read apart from the script, so that a limit it overlooks is noticed.
int number_after(const std::string& text, const std::string& word, int otherwise) {
    const std::size_t at = text.find(word + " = \"");
    if (at == std::string::npos) return otherwise;
    char* end = nullptr;
    const long major = std::strtol(text.c_str() + at + word.size() + 4, &end, 10);
    return static_cast<int>(major * 100 + (*end == '.' ? std::strtol(end + 1, nullptr, 10) : 0));
}

Range range_of(const std::string& path) {
    std::ifstream in(path);
    const std::string text{std::istreambuf_iterator<char>(in), {}};
    const std::size_t at = text.find("kernel{");
    if (at == std::string::npos) return {};
    const std::string options = text.substr(at, text.find('}', at) - at);
    return {number_after(options, "min", 0), number_after(options, "max", 9999)};
}

} // namespace

TEST_CASE("versions: a case passes on each version in its range, and is skipped on the others") {
    int limited = 0;
    for (const std::string& f : files_in("tests/litmus")) {
        const Range range = range_of(f);
        limited += range.limited();
        int inside = 0;
        for (const std::string_view name : kernel_versions) {
            const KernelVersion v = *kernel_version(name);
            const CaseResult r = check_on_model(f, v);
            INFO(f, ":", r.line, " on ", std::string(name), ": ", r.message);
            CHECK(r.status == (range.holds(v.number) ? CaseStatus::passed : CaseStatus::skipped));
            CHECK(r.skipped_expectations == 0);
            inside += range.holds(v.number);
        }
        INFO(f, ": no version that the model knows is in its range");
        CHECK(inside > 0);
    }
    CHECK(limited >= 15);
}

TEST_CASE("versions: a first release has what its series lost later") {
    CHECK(kernel_of_release("6.18.0").inq_whole);
    CHECK_FALSE(kernel_of_release("6.18.44").inq_whole);
    CHECK_FALSE(kernel_version("6.18")->inq_whole);
}

TEST_CASE("versions: both sides of a change have a case") {
    // Each pair says of one question what came before the change and what came after.
    for (const auto& [before, after] : {std::pair{"one_spare_page", "spare_pages"}, {"write_from_a_hole_zero_length_slot", "write_from_a_hole"},
             {"writer_woken_in_vain", "writers_wake_by_slots"}, {"zero_device_was_refused", "zero_device_fills_pages"},
             {"epoll_lost_writes", "epoll_fires_for_each_write"}, {"fork_huge_page_leaked", "fork_huge_page_is_safe"},
             {"file_hole_got_a_cache_page", "file_hole_was_fresh_pages"}, {"file_hole_was_fresh_pages", "file_hole_is_the_zero_page"},
             {"sendfile_copied", "sendfile_queues_pages"}, {"resize_was_not_cut", "resize_is_cut_to_32_bits"},
             {"nowait_was_refused", "nowait_until_spliced"}, {"nosignal_was_unknown", "nosignal_holds_sigpipe_back"},
             {"epoll_did_not_fire_in_vain", "epoll_fires_in_vain"}, {"zero_length_slots", "write_from_a_hole"},
             {"mprotect_left_writing_to_a_store", "mprotect_gives_writing_back"}}) {
        const auto path = [](const char* name) { return std::string(PIPESCOPE_SOURCE_DIR) + "/tests/litmus/" + name + ".lua"; };
        INFO(before, " and ", after);
        CHECK(range_of(path(before)).max < range_of(path(after)).min);
    }
}

TEST_CASE("versions: a running kernel is told by its release, or by upstream's number in its version text") {
    const auto is = [](const char* release, const char* name, int number) {
        const KernelVersion v = kernel_of_release(release);
        INFO(release);
        CHECK(v.name == name);
        CHECK(v.number == number);
    };
    is("6.1.0-50-cloud-amd64", "6.1", 601);
    is("6.12.117+deb13-amd64", "6.12.117", 612);
    is("6.18.44", "6.18.44", 618);
    is("7.3.4+deb13-amd64", "7.3.4", 703);
    is("5.4.0", "5.4.0", 504);
    is("unheard of", "6.18", 618);
    is("6.16.12-amd64", "6.16.12", 616);
    const KernelVersion debian = kernel_of_uname("5.10.0-32-amd64", "#1 SMP Debian 5.10.223-1 (2024-08-10)");
    CHECK(debian.name == "5.10.223");
    CHECK(debian.poll_usage); // brought to the series with 5.10.56; the series alone is as it began
    CHECK_FALSE(kernel_version("5.10")->poll_usage);
    CHECK(kernel_of_uname("5.10.0-32-amd64", "no number").name == "5.10");
    CHECK(kernel_of_release("6.16.12-amd64").copy_before_insert); // 6.15 brought it, though 6.14 is the name
    CHECK_FALSE(kernel_of_release("6.14.2").copy_before_insert);
    for (const std::string_view name : kernel_versions) CHECK(kernel_of_release(std::string(name) + ".7-generic").number == kernel_version(name)->number);
}
