// SPDX-License-Identifier: MIT
// Scenario texts for tests: written to a file of their own and checked on the model.
#pragma once
#include "sim/scenario/scenario.hpp"
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <unistd.h>
#include <vector>

namespace scenario_test {

using namespace pipescope;

struct CaseFile { // a scenario that exists as long as the object does
    explicit CaseFile(const std::string& text, const std::string& name = "case.lua")
        : dir(std::filesystem::temp_directory_path() / ("pipescope-" + std::to_string(::getpid()) + "-" + std::to_string(count++))),
          path(dir / name) {
        std::filesystem::create_directories(dir);
        std::ofstream(path, std::ios::binary) << text;
    }
    ~CaseFile() {
        std::error_code ignored;
        std::filesystem::remove_all(dir, ignored);
    }
    static inline int count = 0;
    std::filesystem::path dir, path;
};

inline CaseResult check(const std::string& text) { return check_on_model(CaseFile(text).path.string(), KernelVersion{}); }

// Every scenario below a folder of the source tree, by name.
inline std::vector<std::string> files_in(const std::string& folder) {
    std::vector<std::string> out;
    for (const auto& e : std::filesystem::directory_iterator(std::filesystem::path(PIPESCOPE_SOURCE_DIR) / folder))
        if (e.path().extension() == ".lua") out.push_back(e.path().string());
    std::sort(out.begin(), out.end());
    return out;
}

} // namespace scenario_test
