// SPDX-License-Identifier: MIT
// Addresses: read as typed, cut into bits for 4 and 5 levels, and what is canonical.
#include "app/address.hpp"
#include <doctest/doctest.h>

using namespace pipescope;

TEST_CASE("address: the article's address at 4 levels") {
    const AddressSplit s = address_split(0x0000f2705af953c0, 4);
    CHECK(s.index[0] == 484);
    CHECK(s.index[1] == 449);
    CHECK(s.index[2] == 215);
    CHECK(s.index[3] == 405);
    CHECK(s.offset == 0x3c0);
    CHECK(!s.canonical);
    CHECK(canonical_fault(s).find("bits 63 to 48") != std::string::npos);
    CHECK(canonical_fault(s).find("bit 47") != std::string::npos);
}

TEST_CASE("address: the same at 5 levels is canonical, and has a table more") {
    const AddressSplit s = address_split(0x0000f2705af953c0, 5);
    CHECK(s.index == std::array<std::uint32_t, 5>{0, 484, 449, 215, 405});
    CHECK(s.canonical);
    CHECK(canonical_fault(s).empty());
    CHECK(address_split(0x01ff000000000000, 5).index[0] == 511);
    CHECK(!address_split(0x01ff000000000000, 5).canonical);
}

TEST_CASE("address: canonical at the edges of both halves") {
    struct Row {
        std::uint64_t addr;
        bool four, five;
    };
    for (const auto& [addr, four, five] : {Row{0, true, true}, {0x00007fffffffffffull, true, true}, {0x0000800000000000ull, false, true},
             {0x00ffffffffffffffull, false, true}, {0x0100000000000000ull, false, false}, {0xfeffffffffffffffull, false, false},
             {0xff00000000000000ull, false, true}, {0xffff7fffffffffffull, false, true}, {0xffff800000000000ull, true, true}, {~0ull, true, true}}) {
        INFO(addr);
        CHECK(address_split(addr, 4).canonical == four);
        CHECK(address_split(addr, 5).canonical == five);
    }
}

TEST_CASE("address: parts put together again give the address, with leaves at every level") {
    for (const std::uint64_t addr : {0x0000f2705af953c0ull, 0xffffea0000000123ull, 0x00007e3a00201fffull, ~0ull})
        for (const int levels : {4, 5})
            for (int leaf = 1; leaf < levels; ++leaf) {
                std::uint64_t whole = 0;
                int bits = 0;
                for (const AddressPart& p : address_parts(address_split(addr, levels), leaf)) {
                    CHECK((p.value >> p.bits) == 0);
                    whole = whole << p.bits | p.value;
                    bits += p.bits;
                }
                INFO(addr, " levels ", levels, " leaf ", leaf);
                CHECK(bits == 64);
                CHECK(whole == addr);
            }
    const auto huge = address_parts(address_split(0x00007e3a00201fff, 4), 2);
    CHECK(huge.size() == 5);
    CHECK(std::string(huge[3].name) == "pmd");
    CHECK(huge.back().bits == 21);
    CHECK(address_parts(address_split(0, 4), 1).back().bits == 30); // 1 GiB
}

TEST_CASE("address: names of the levels") {
    CHECK(std::string(level_name(4, 1)) == "pud");
    CHECK(std::string(level_name(5, 1)) == "p4d");
    CHECK(std::string(level_name(4, 3)) == "pte");
    CHECK(std::string(level_name(5, 4)) == "pte");
}

TEST_CASE("address: as people type it") {
    std::string fault;
    CHECK(address_parse("0x0000f2705af953c0", fault) == 0xf2705af953c0);
    CHECK(address_parse("F2705AF953C0", fault) == 0xf2705af953c0);
    CHECK(address_parse("  0X7e3a 0000 4000 ", fault) == 0x7e3a00004000);
    CHECK(address_parse("ffff_8880_0000_0000", fault) == 0xffff888000000000);
    CHECK(address_parse("ffffffffffffffff", fault) == ~0ull);
    CHECK(fault.empty());
    for (const char* nothing : {"", "   "}) {
        CHECK(!address_parse(nothing, fault));
        CHECK(fault.empty());
    }
    for (const char* bad : {"0x", "0xg", "hello", "-1", "1ffffffffffffffff", "0x1.0", "src[3]", "\xc3\xa4", "0x12\n34"}) {
        INFO(bad);
        CHECK(!address_parse(bad, fault));
        CHECK(!fault.empty());
        CHECK(fault.find('\n') == std::string::npos);
    }
    CHECK(!address_parse("0x12g4", fault));
    CHECK(fault == "“g” is not a hexadecimal digit.");
}
