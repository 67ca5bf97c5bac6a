// SPDX-License-Identifier: MIT
// Recordings whose checksums are true and whose contents are not: refused in a sentence, without much memory.
#include "tests/recording_forged.hpp"

using namespace pipescope;
using namespace pipescope::test;

TEST_CASE("recording: true checksums over false contents") {
    Event e;
    e.kind = EventKind::note;
    const std::string one = columns_of({e});
    CHECK(refusal(Forged().meta().chunk(rec::tag_events, one, 1).end()) == "");
    CHECK(refusal(Forged().end()) == "says nothing about the run it recorded");
    CHECK(refusal(Forged().meta().meta().end()).ends_with("comes twice"));
    CHECK(refusal(Forged().meta().chunk(rec::tag("WHAT"), "anything", 3).chunk(rec::tag_events, one, 1).end()) == "");
    CHECK(refusal(Forged().meta().chunk(rec::tag_events, one, 2).end()).ends_with("its columns are not well formed"));
    CHECK(refusal(Forged().meta().chunk(rec::tag_events, one, 1, 5).end()).ends_with("its events begin at number 5, expected 0"));
    CHECK(refusal(Forged().meta().chunk(rec::tag_events, one, 1, ~std::uint64_t{0}).end()).find("its events begin at number") != std::string::npos);
    CHECK(refusal(Forged().meta().chunk(rec::tag_events, one, 1, 0, 10, 20).end()).ends_with("its times do not fit its header"));
    CHECK(refusal(Forged().meta().chunk(rec::tag_events, one, 1, 0, 9, 9).chunk(rec::tag_events, one, 1, 1, 8, 8).end()).find("index at byte") == 0);
    CHECK(refusal(Forged().meta().chunk(rec::tag_events, "", 0).end()).ends_with("it holds no events"));
    e.kind = static_cast<EventKind>(127); // the last number that there is room for
    CHECK(refusal(Forged().meta().chunk(rec::tag_events, columns_of({e}), 1).end()).ends_with("event kind 127 is not known"));
    e.kind = EventKind::stage;
    e.stage = static_cast<Stage>(9999);
    CHECK(refusal(Forged().meta().chunk(rec::tag_events, columns_of({e}), 1).end()).ends_with("stage 9999 is not known"));

    const std::string abc{"\1a\1b\1c", 6}, twice{"\1a\1a", 4}, overlong{"\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 10};
    CHECK(refusal(Forged().meta().chunk(rec::tag_strings, abc, 3, 1).end()) == "");
    CHECK(refusal(Forged().meta().chunk(rec::tag_strings, abc, 4, 1).end()).ends_with("as many strings as it says"));
    CHECK(refusal(Forged().meta().chunk(rec::tag_strings, abc, 3, 2).end()).ends_with("its strings begin at number 2, expected 1"));
    CHECK(refusal(Forged().meta().chunk(rec::tag_strings, twice, 2, 1).end()).ends_with("string 2 occurs twice"));
    CHECK(refusal(Forged().meta().chunk(rec::tag_strings, overlong, 1, 1).end()).ends_with("as many strings as it says"));
    CHECK(refusal(Forged().chunk(rec::tag_meta, {"\x09page_size\x02zz", 13}, 1).end()).ends_with("its page_size is not a number"));
    CHECK(refusal(Forged()
                      .chunk(rec::tag_meta,
                          {"\x09page_size\x01"
                           "3",
                              12},
                          1)
                      .end())
              .ends_with("3 bytes are no page"));
    CHECK(refusal(Forged("nonsense").meta().end()).ends_with("a table of names is too long"));
    CHECK(refusal(Forged({"\1\2a\n\0\0\0", 7}).meta().end()).ends_with("a name in its tables is no name"));
    CHECK(refusal(Forged({"\0\0\0", 3}).meta().end()).ends_with("its tables of names are not well formed"));
}

TEST_CASE("recording: another program's numbers are translated by name") {
    std::string tables;
    const auto table = [&](std::initializer_list<const char*> names) {
        rec::put_varint(tables, names.size());
        for (const char* n : names) rec::put_string(tables, n);
    };
    table({"none", "stage", "sys_enter", "vanished", "note"});
    table({"none", "w_copy", "w_nowhere"});
    table({"", "splice", "write"});
    table({"", "anon_pipe_write"});
    const auto event = [](int kind, int stage, std::uint32_t a) {
        Event e;
        e.kind = static_cast<EventKind>(kind), e.stage = static_cast<Stage>(stage), e.a = a;
        return e;
    };
    // Predictions for stages are by stage: the file's number of the kind "stage" has to be found for that.
    Event first = event(1, 1, 7), second = event(1, 1, 8);
    std::string raw, ours = columns_of({[&] {
                                            Event e = first;
                                            e.kind = EventKind::stage;
                                            return e;
                                        }(),
                         [&] {
                             Event e = second;
                             e.kind = EventKind::stage;
                             return e;
                         }()});
    // The kind column comes first: its length, then a byte an event.
    ours[1] = 1, ours[2] = 1;
    TempFile file;
    file.write(Forged(tables).meta().chunk(rec::tag_events, ours, 2).end());
    std::string error;
    auto t = recording_read(file.path(), error);
    REQUIRE_MESSAGE(t, error);
    REQUIRE(t->events.size() == 2);
    CHECK(t->events[0].kind == EventKind::stage);
    CHECK(t->events[1].stage == Stage::w_copy);
    CHECK(t->events[1].a == 8);

    const auto get = [&](Event e) {
        const EventKind kind = e.kind;
        e.kind = EventKind::note;
        std::string one = columns_of({e});
        one[1] = static_cast<char>(kind);
        file.write(Forged(tables).meta().chunk(rec::tag_events, one, 1).end());
        t = recording_read(file.path(), error);
        return t ? std::string() : error;
    };
    CHECK(get(event(2, 0, 2)) == "");
    CHECK(t->events[0].kind == EventKind::sys_enter);
    CHECK(t->events[0].a == static_cast<std::uint32_t>(Sys::write));
    CHECK(get(event(2, 0, 3)).ends_with("system call 3 is not known"));
    CHECK(get(event(3, 0, 0)).ends_with("event kind \"vanished\" is not known"));
    CHECK(get(event(4, 2, 0)).ends_with("stage \"w_nowhere\" is not known"));
    CHECK(get(event(0, 0, 0)).ends_with("event kind \"none\" is not known"));
}

TEST_CASE("recording: a small file cannot ask for much memory") {
    // The headers are true to their checksums, but claim the most that fits the field.
    std::string raw;
    const std::string big(16 << 20, '\0');
    std::string bytes = Forged().meta().chunk(rec::tag_events, big, 1).end();
    CHECK(bytes.size() > (16u << 20) / rec::max_raw_ratio); // a writer has to pay for what it expands to
    CHECK(refusal(bytes) != "");
    std::string fault;
    rec::ChunkHeader h;
    h.type = rec::tag_events, h.count = 1;
    std::string chunk;
    REQUIRE(rec::put_chunk(chunk, h, "some bytes that are compressed"));
    REQUIRE(rec::parse_chunk_header(rec::as_bytes(chunk), fault));
    for (const std::size_t field : {8u, 12u, 16u}) {
        std::string forged = chunk.substr(0, rec::chunk_header_size - 4);
        forged.replace(field, 4, "\xff\xff\xff\x7f");
        rec::put_u32(forged, static_cast<std::uint32_t>(rec::checksum(rec::as_bytes(forged))));
        fault.clear();
        const auto parsed = rec::parse_chunk_header(rec::as_bytes(forged), fault);
        CHECK(parsed.has_value() == (field == 8)); // stored bytes are compared with the file before they are allocated
    }
    // A file of nothing but sync bytes keeps salvage busy for a moment only.
    std::string syncs = rec::file_header(rec::own_fingerprint());
    for (int i = 0; i < 100'000; ++i) syncs += rec::chunk_sync;
    CHECK(refusal(syncs) != "");
}

TEST_CASE("recording: contents changed at random under true checksums") {
    // As a stranger would make them: every chunk passes its checksum, so all that guards is what reads the contents.
    std::mt19937_64 random(9);
    const auto change = [&](std::string s) {
        for (std::uint64_t n = random() % 4; n-- > 0 && !s.empty();) {
            const std::size_t at = random() % s.size();
            switch (random() % 4) {
            case 0: s[at] = static_cast<char>(random()); break;
            case 1: s.erase(at, 1 + random() % 4); break;
            case 2: s.insert(at, 1 + random() % 10, static_cast<char>(random() % 3 ? 0xff : 0)); break;
            default: s[at] = static_cast<char>(s[at] ^ 1 << random() % 8); break;
            }
        }
        return s;
    };
    const auto count = [&](std::uint32_t n) { return random() % 8 ? n : static_cast<std::uint32_t>(random() % 100); };
    TempFile file;
    std::size_t read = 0, refused = 0;
    for (int i = 0; i < 3000; ++i) {
        StringTable strings;
        const std::vector<Event> events = i % 2 ? arbitrary(20, static_cast<std::uint64_t>(i)) : written_by_model(60, strings);
        TraceMeta meta;
        meta.title = "t";
        std::string fields, names;
        const auto n = rec::put_meta(fields, meta);
        for (const char* s : {"writer", "reader", "p"}) rec::put_string(names, s);
        const auto events_n = static_cast<std::uint32_t>(events.size());
        Forged f(i % 5 ? rec::own_tables() : change(rec::own_tables()));
        f.chunk(rec::tag_meta, change(fields), count(n)).chunk(rec::tag_strings, change(names), count(3), 1);
        f.chunk(rec::tag_events, change(columns_of(events)), count(events_n), 0, events.front().t_ns, events.back().t_ns);
        std::string bytes = f.end();
        file.write(bytes);
        std::string error;
        for (const bool salvage : {false, true}) {
            if (const auto t = recording_read(file.path(), error, salvage)) {
                ++read;
                REQUIRE(t->events.size() <= events.size() + 20);
            } else {
                ++refused;
                REQUIRE(one_sentence_about(error, file.path()));
            }
        }
    }
    CHECK(read > 500);
    CHECK(refused > 500);
}
