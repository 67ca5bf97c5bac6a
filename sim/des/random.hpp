// SPDX-License-Identifier: MIT
// Seeded random numbers that are the same everywhere: no distribution of the standard library.
#pragma once
#include <cstdint>

namespace pipescope {

class Random { // xorshift64*, seeded through splitmix64
public:
    explicit Random(std::uint64_t seed) {
        std::uint64_t z = seed + 0x9e3779b97f4a7c15ull;
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
        s_ = (z ^ (z >> 31)) | 1;
    }
    double uniform() { return static_cast<double>(next() >> 11) * 0x1p-53; } // [0, 1)
    double normal() { // twelve uniform numbers: near enough, and no tail that makes a time negative
        std::uint64_t sum = 0;
        for (int i = 0; i < 3; ++i) {
            const std::uint64_t r = next();
            sum += (r & 0xffff) + (r >> 16 & 0xffff) + (r >> 32 & 0xffff) + (r >> 48);
        }
        return static_cast<double>(sum) / 65536 - 6;
    }

private:
    std::uint64_t next() {
        s_ ^= s_ >> 12, s_ ^= s_ << 25, s_ ^= s_ >> 27;
        return s_ * 0x2545f4914f6cdd1dull;
    }
    std::uint64_t s_;
};

} // namespace pipescope
