// SPDX-License-Identifier: MIT
// What a scenario may look at, what it may state, and what it says about itself.
#include "sim/scenario/lua_api.hpp"
#include <array>
#include <climits>
#include <cstring>
#include <utility>

namespace pipescope {
namespace {

// A pipe's open end: its number may have gone to another pipe since this end was closed.
int open_end(Script& s, lua_State* L, int i) {
    const LuaPipe* const p = to_pipe(L, i);
    if (!p) return arg_fd(L, i);
    for (const int fd : {p->r, p->w}) {
        const auto it = s.pipe_of_fd.find(fd);
        if (it != s.pipe_of_fd.end() && it->second == p->index) return fd;
    }
    for (const auto& [fd, index] : s.pipe_of_fd)
        if (index == p->index) return fd; // a duplicate is left
    throw ScriptError{"both ends of the pipe are closed"};
}

int look_ring(Script& s, lua_State* L) {
    const auto text = s.backend().ring(open_end(s, L, 1));
    if (!text) return push_unknown(L);
    push_string(L, *text);
    return 1;
}

int push_number(lua_State* L, std::optional<std::uint32_t> n) {
    if (!n) return push_unknown(L);
    lua_pushinteger(L, *n);
    return 1;
}
int look_ring_size(Script& s, lua_State* L) { return push_number(L, s.backend().ring_size(open_end(s, L, 1))); }
int look_max_usage(Script& s, lua_State* L) { return push_number(L, s.backend().max_usage(open_end(s, L, 1))); }
int look_tmp_pages(Script& s, lua_State* L) { return push_number(L, s.backend().tmp_pages(open_end(s, L, 1))); }

int look_page(Script& s, lua_State* L) {
    const LuaBuffer b = arg_buffer(L, 1);
    const std::int64_t i = arg_int_or(L, 2, 0, "a page number");
    const std::uint64_t addr = (b.addr & ~std::uint64_t{page_size - 1}) + static_cast<std::uint64_t>(i) * page_size;
    if (i < 0 || addr >= b.end) throw ScriptError{"page " + std::to_string(i) + " is outside the buffer"};
    const auto p = s.backend().page(s.current(), addr);
    if (!p) return push_unknown(L);
    lua_createtable(L, 0, 10);
    const auto flag = [&](const char* name, bool on) { lua_pushboolean(L, on), lua_setfield(L, -2, name); };
    const auto number = [&](const char* name, std::int64_t n) { lua_pushinteger(L, n), lua_setfield(L, -2, name); };
    flag("present", p->present), flag("huge", p->huge), flag("zero", p->zero), flag("head", p->head), flag("tail", p->tail);
    flag("hugetlb", p->hugetlb);
    number("order", p->order), number("refcount", p->refcount), number("mapcount", p->mapcount);
    if (p->pincount) number("pincount", *p->pincount);
    else push_unknown(L), lua_setfield(L, -2, "pincount");
    return 1;
}

template <auto ask> int look_tables(Script& s, lua_State* L) {
    const LuaBuffer b = arg_buffer(L, 1);
    const std::int64_t off = arg_int_or(L, 2, 0, "an offset");
    if (off < 0 || static_cast<std::uint64_t>(off) > b.end - b.addr + hole_behind)
        throw ScriptError{"offset " + std::to_string(off) + " is outside the buffer"};
    const auto text = (s.backend().*ask)(s.current(), b.addr + static_cast<std::uint64_t>(off));
    if (!text) return push_unknown(L);
    push_string(L, *text);
    return 1;
}

int look_tlb(Script& s, lua_State* L) {
    const auto t = s.backend().tlb(s.current());
    if (!t) {
        s.doom(L, {ScriptStop::Kind::skip, current_line(L), "a CPU's TLB cannot be read: the model's alone is shown"});
        return api_raises;
    }
    lua_createtable(L, 0, 4);
    const auto number = [&](const char* name, std::uint64_t n) { lua_pushinteger(L, static_cast<lua_Integer>(n)), lua_setfield(L, -2, name); };
    number("hits", t->hits), number("misses", t->misses), number("flushes", t->flushes), number("invlpgs", t->invlpgs);
    return 1;
}

std::uint64_t range_in(const LuaBuffer& b, std::int64_t off, std::int64_t n) {
    if (off < 0 || n < 0 || static_cast<std::uint64_t>(off) > b.end - b.addr ||
        static_cast<std::uint64_t>(n) > b.end - b.addr - static_cast<std::uint64_t>(off))
        throw ScriptError{"bytes " + std::to_string(off) + "+" + std::to_string(n) + " are outside the buffer"};
    return b.addr + static_cast<std::uint64_t>(off);
}

int get_bytes(Script& s, lua_State* L) {
    const LuaBuffer b = arg_buffer(L, 1);
    const std::int64_t n = arg_int_or(L, 3, 1, "a number of bytes");
    if (n > (1 << 20)) throw ScriptError{"more than 1 MiB of bytes at once"};
    const std::uint64_t addr = range_in(b, arg_int(L, 2, "an offset"), n);
    std::vector<std::uint8_t> out(static_cast<std::size_t>(n));
    if (!s.backend().load(s.current(), addr, out)) throw ScriptError{"a fault: the buffer cannot be read there"};
    lua_pushlstring(L, reinterpret_cast<const char*>(out.data()), out.size());
    return 1;
}

int put_bytes(Script& s, lua_State* L) {
    const LuaBuffer b = arg_buffer(L, 1);
    const std::string text = arg_string(L, 3, "a string");
    const std::uint64_t addr = range_in(b, arg_int(L, 2, "an offset"), static_cast<std::int64_t>(text.size()));
    if (!s.backend().store(s.current(), addr, {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()})) push_string(L, "EFAULT");
    else lua_pushinteger(L, static_cast<lua_Integer>(text.size()));
    return 1;
}

int get_signals(Script& s, lua_State* L) {
    const std::uint32_t bits = s.backend().take_signals(s.current());
    std::string out;
    for (int n = 1; n < 32; ++n)
        if (bits & (1u << n)) {
            const char* const name = sigabbrev_np(n);
            out += std::string(out.empty() ? "" : "|") + "SIG" + (name ? name : std::to_string(n));
        }
    push_string(L, out);
    return 1;
}

int expect(Script& s, lua_State* L) {
    if (lua_gettop(L) < 2) throw ScriptError{"expect() takes what came out and what is wanted"};
    ++s.expectations;
    if (is_unknown(L, 1) || is_unknown(L, 2)) {
        if (++s.skipped == 1) s.first_skipped_line = current_line(L);
        return 0;
    }
    for (const int i : {1, 2})
        if (const int t = lua_type(L, i); t != LUA_TNUMBER && t != LUA_TSTRING && t != LUA_TBOOLEAN && t != LUA_TNIL)
            throw ScriptError{"expect() compares numbers, strings and booleans, not a " + type_name(L, i)};
    if (lua_rawequal(L, 1, 2)) return 0;
    s.doom(L, {ScriptStop::Kind::expectation, current_line(L), "expected " + text_of(L, 2, true) + ", got " + text_of(L, 1, true)});
    return api_raises;
}

// "6.12" and "5.10.55" as figures; `patch` for a series alone.
std::pair<int, int> parse_version(const std::string& text, int patch) {
    int n[3] = {0, 0, patch}, parts = 0;
    std::size_t at = 0;
    for (; parts < 3 && at < text.size(); ++parts) {
        std::size_t digits = 0;
        n[parts] = 0;
        while (at < text.size() && digits < 4 && text[at] >= '0' && text[at] <= '9') n[parts] = n[parts] * 10 + (text[at++] - '0'), ++digits;
        if (digits == 0 || (at < text.size() && (text[at] != '.' || ++at == text.size()))) break;
    }
    if (parts < 2 || at != text.size()) throw ScriptError{"\"" + text.substr(0, 20) + "\" is no kernel version; write \"6.12\""};
    return {n[0] * 100 + n[1], n[2]};
}

int limit_kernel(Script& s, lua_State* L) {
    if (!lua_istable(L, 1)) bad_argument(L, 1, "a table such as {min=\"5.8\"}");
    Options o(L, 1, "kernel");
    const auto min = o.string("min"), max = o.string("max"), version = o.string("version"), features = o.string("features");
    const auto levels = o.integer("levels");
    o.finish();
    if (levels && *levels != 4 && *levels != 5) throw ScriptError{"page tables have 4 levels or 5"};
    if (version || features) {
        const auto wanted = kernel_version(version.value_or(KernelVersion{}.name), features.value_or(""));
        if (!wanted) throw ScriptError{unknown_kernel(version.value_or(KernelVersion{}.name) + (features ? "+" + *features : ""))};
        if (!s.kernel().asked) {
            if (s.pipes || s.buffers || s.files || s.tasks() > 1) throw ScriptError{"kernel{version=} comes before everything else"};
            s.want_kernel(*wanted);
            s.doom(L, {ScriptStop::Kind::other_kernel, current_line(L), "for " + wanted->name});
            return api_raises;
        }
        bool has = true;
        for (const KernelFeature& f : kernel_features())
            if (features && ("+" + *features + "+").find("+" + std::string(f.name) + "+") != std::string::npos)
                has = has && has_feature(s.kernel(), f);
        lua_pushboolean(L, features ? has : s.kernel().number == wanted->number);
        if (!min && !max && !levels) return 1;
    }
    const std::pair is{s.kernel().number, s.kernel().patch};
    const bool below = min && is < parse_version(*min, 0), above = max && is > parse_version(*max, INT_MAX);
    if (!below && !above) {
        const std::string why = levels ? s.backend().paging_levels(static_cast<int>(*levels)) : "";
        if (why.empty()) return version || features ? 1 : 0;
        s.doom(L, {ScriptStop::Kind::skip, current_line(L), why});
        return api_raises;
    }
    s.doom(L, {ScriptStop::Kind::skip, current_line(L),
                  "for kernels " + (min ? "from " + *min : std::string()) + (min && max ? " " : "") + (max ? "up to " + *max : std::string()) +
                      ", this is " + s.kernel().name});
    return api_raises;
}

int skip_case(Script& s, lua_State* L) {
    s.doom(L, {ScriptStop::Kind::skip, current_line(L), lua_isnoneornil(L, 1) ? "skipped" : arg_string(L, 1, "a reason")});
    return api_raises;
}

int set_outcome(Script& s, lua_State* L) {
    if (!lua_isfunction(L, 1) || lua_iscfunction(L, 1)) bad_argument(L, 1, "a function of the scenario");
    if (s.current() != 0) throw ScriptError{"outcome() is for the main chunk"};
    if (s.outcome() != no_id) throw ScriptError{"outcome() is called once"};
    s.set_outcome(s.add_task(L, 1, "outcome", 0)); // from the start, so that descriptors stay open for it
    s.backend().hold(s.outcome(), true);
    return 0;
}

int look_wakeups(Script& s, lua_State* L) {
    if (const auto n = s.backend().wakeups()) lua_pushinteger(L, static_cast<lua_Integer>(*n));
    else return push_unknown(L);
    return 1;
}

int print(Script& s, lua_State* L) {
    std::string line;
    for (int i = 1, n = lua_gettop(L); i <= n; ++i) line.append(i > 1 ? "\t" : "").append(text_of(L, i, false));
    if (s.printed.size() < 10'000 && line.size() < 100'000) s.printed.push_back(std::move(line));
    return 0;
}

template <std::string Script::*text> int describe(Script& s, lua_State* L) {
    s.*text = arg_string(L, 1, "a text").substr(0, 4000);
    return 0;
}

} // namespace

void open_looking(lua_State* L) {
    set_global(L, "outcome", entry<set_outcome>);
    set_global(L, "wakeups", entry<look_wakeups>);
    set_global(L, "ring", entry<look_ring>);
    set_global(L, "ring_size", entry<look_ring_size>);
    set_global(L, "max_usage", entry<look_max_usage>);
    set_global(L, "tmp_pages", entry<look_tmp_pages>);
    set_global(L, "page", entry<look_page>);
    set_global(L, "walk", entry<look_tables<&Backend::walk>>);
    set_global(L, "entry", entry<look_tables<&Backend::entry>>);
    set_global(L, "tlb", entry<look_tlb>);
    set_global(L, "bytes", entry<get_bytes>);
    set_global(L, "write_bytes", entry<put_bytes>);
    set_global(L, "signals", entry<get_signals>);
    set_global(L, "expect", entry<expect>);
    set_global(L, "kernel", entry<limit_kernel>);
    set_global(L, "skip", entry<skip_case>);
    set_global(L, "print", entry<print>);
    set_global(L, "title", entry<describe<&Script::title>>);
    set_global(L, "watch", entry<describe<&Script::watch>>);
    set_global(L, "question", entry<describe<&Script::question>>);
}

} // namespace pipescope
