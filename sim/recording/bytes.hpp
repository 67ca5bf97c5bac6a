// SPDX-License-Identifier: MIT
// Numbers to bytes and back, little endian, with a reader that cannot leave its bounds.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace pipescope::rec {

inline void put_u32(std::string& out, std::uint32_t v) {
    for (int i = 0; i < 4; ++i) out.push_back(static_cast<char>(v >> 8 * i & 0xff));
}
inline void put_u64(std::string& out, std::uint64_t v) {
    for (int i = 0; i < 8; ++i) out.push_back(static_cast<char>(v >> 8 * i & 0xff));
}
inline void put_varint(std::string& out, std::uint64_t v) {
    for (; v >= 0x80; v >>= 7) out.push_back(static_cast<char>(v | 0x80));
    out.push_back(static_cast<char>(v));
}
inline void put_string(std::string& out, std::string_view s) {
    put_varint(out, s.size());
    out.append(s);
}

inline std::uint64_t zigzag(std::int64_t v) { return static_cast<std::uint64_t>(v) << 1 ^ static_cast<std::uint64_t>(v >> 63); }
inline std::int64_t unzigzag(std::uint64_t v) { return static_cast<std::int64_t>(v >> 1 ^ (0 - (v & 1))); }

// Reads forward. The first read that does not fit clears ok() and from then on everything reads as 0.
class Cursor {
public:
    Cursor() = default;
    explicit Cursor(std::span<const std::uint8_t> s) : p_(s.data()), end_(s.data() + s.size()) {}

    bool ok() const { return ok_; }
    bool at_end() const { return p_ == end_; }
    std::size_t left() const { return static_cast<std::size_t>(end_ - p_); }

    std::uint8_t u8() {
        if (p_ == end_) return fail();
        return *p_++;
    }
    std::uint32_t u32() { return static_cast<std::uint32_t>(fixed(4)); }
    std::uint64_t u64() { return fixed(8); }
    std::uint64_t varint() {
        std::uint64_t v = 0;
        for (unsigned shift = 0; shift < 70 && p_ != end_; shift += 7) {
            const std::uint8_t b = *p_++;
            if (shift == 63 && b > 1) break;
            v |= std::uint64_t{b & 0x7fu} << shift;
            if (b < 0x80) return v;
        }
        return fail();
    }
    std::span<const std::uint8_t> bytes(std::uint64_t n) {
        if (n > left()) {
            fail();
            return {};
        }
        const std::span<const std::uint8_t> s{p_, static_cast<std::size_t>(n)};
        p_ += n;
        return s;
    }
    std::string_view string() {
        const auto s = bytes(varint());
        return {reinterpret_cast<const char*>(s.data()), s.size()};
    }

private:
    std::uint8_t fail() {
        ok_ = false;
        p_ = end_;
        return 0;
    }
    std::uint64_t fixed(unsigned n) {
        if (left() < n) return fail();
        std::uint64_t v = 0;
        for (unsigned i = 0; i < n; ++i) v |= std::uint64_t{*p_++} << 8 * i;
        return v;
    }
    const std::uint8_t* p_ = nullptr;
    const std::uint8_t* end_ = nullptr;
    bool ok_ = true;
};

inline std::span<const std::uint8_t> as_bytes(std::string_view s) { return {reinterpret_cast<const std::uint8_t*>(s.data()), s.size()}; }

} // namespace pipescope::rec
