// SPDX-License-Identifier: MIT
// The passage from Lua to an API function and back, and the reading of arguments.
#include "sim/scenario/lua_api.hpp"
#include <algorithm>
#include <exception>

namespace pipescope {

int current_line(lua_State* L) {
    lua_Debug ar;
    for (int level = 0; lua_getstack(L, level, &ar); ++level)
        if (lua_getinfo(L, "Sl", &ar) && ar.currentline > 0) return ar.currentline;
    return 0;
}

int call_api(lua_State* L, ApiFn f) {
    Script& s = Script::of(L);
    s.enforce(false);
    lua_checkstack(L, 40);
    std::string error;
    int n = api_raises;
    try {
        n = f(s, L);
    } catch (const ScriptError& e) {
        error = e.text;
    } catch (const std::exception& e) {
        error = e.what();
    }
    if (n == api_raises && !s.doomed()) {
        luaL_where(L, 1);
        push_string(L, error);
        lua_concat(L, 2);
    } else if (n == api_raises) {
        push_string(L, s.stop().message);
    }
    if (n > 0) s.given(L, n);
    s.enforce(true);
    return n;
}

namespace {
void must_yield(lua_State* L) {
    if (!lua_isyieldable(L)) throw ScriptError{"a system call cannot be made from here"};
}
} // namespace

int ask_call(Script& s, lua_State* L, Call c) {
    must_yield(L);
    c.line = static_cast<std::uint32_t>(current_line(L));
    s.request_call(std::move(c));
    return api_asks;
}

int ask_run(Script& s, lua_State* L, TaskId t, Stage until) {
    must_yield(L);
    s.request_run(t, until, static_cast<std::uint32_t>(current_line(L)));
    return api_asks;
}

void set_global(lua_State* L, const char* name, lua_CFunction f) {
    lua_pushcfunction(L, f);
    lua_setglobal(L, name);
}

void metatable(lua_State* L, const char* type, std::initializer_list<luaL_Reg> functions) {
    luaL_newmetatable(L, type);
    for (const luaL_Reg& f : functions) {
        lua_pushcfunction(L, f.func);
        lua_setfield(L, -2, f.name);
    }
    lua_pop(L, 1);
}

int object_text(Script&, lua_State* L) {
    push_string(L, text_of(L, 1, false));
    return 1;
}

void push_string(lua_State* L, std::string_view s) { lua_pushlstring(L, s.data(), s.size()); }

std::string type_name(lua_State* L, int i) {
    if (to_buffer(L, i)) return "buffer";
    if (to_pipe(L, i)) return "pipe";
    if (to_task(L, i)) return "task";
    if (lua_isnone(L, i)) return "nothing";
    return lua_typename(L, lua_type(L, i));
}

void bad_argument(lua_State* L, int i, const char* wanted) {
    lua_Debug ar;
    std::string name = "?";
    if (lua_getstack(L, 0, &ar) && lua_getinfo(L, "n", &ar) && ar.name) name = ar.name;
    throw ScriptError{"argument " + std::to_string(i) + " of " + name + ": " + wanted + " expected, got " + type_name(L, i)};
}

std::int64_t arg_int(lua_State* L, int i, const char* what) {
    int ok = 0;
    const lua_Integer n = lua_type(L, i) == LUA_TNUMBER ? lua_tointegerx(L, i, &ok) : 0;
    if (!ok) bad_argument(L, i, what);
    return n;
}

std::int64_t arg_int_or(lua_State* L, int i, std::int64_t otherwise, const char* what) {
    return lua_isnoneornil(L, i) ? otherwise : arg_int(L, i, what);
}

std::string arg_string(lua_State* L, int i, const char* what) {
    if (lua_type(L, i) != LUA_TSTRING) bad_argument(L, i, what);
    std::size_t n = 0;
    const char* p = lua_tolstring(L, i, &n);
    return std::string(p, n);
}

namespace {
std::optional<std::uint64_t> parse_size(std::string_view text) {
    std::uint64_t n = 0;
    std::size_t i = 0;
    for (; i < text.size() && text[i] >= '0' && text[i] <= '9'; ++i) {
        if (n > (std::uint64_t{1} << 50)) return std::nullopt;
        n = n * 10 + static_cast<std::uint64_t>(text[i] - '0');
    }
    if (i == 0 || i + 1 < text.size()) return std::nullopt;
    if (i == text.size()) return n;
    switch (text[i]) {
    case 'K': return n << 10;
    case 'M': return n << 20;
    case 'G': return n << 30;
    default: return std::nullopt;
    }
}

std::uint64_t size_at(lua_State* L, int i, const std::string& what) {
    std::optional<std::uint64_t> n;
    if (lua_type(L, i) == LUA_TSTRING) {
        std::size_t len = 0;
        const char* p = lua_tolstring(L, i, &len);
        n = parse_size({p, len});
        if (!n)
            throw ScriptError{
                what + ": \"" + std::string(p, std::min<std::size_t>(len, 40)) + "\" is not a size; write 4096, \"4K\", \"1M\" or \"2G\""};
    } else if (lua_type(L, i) == LUA_TNUMBER) {
        int ok = 0;
        const lua_Integer v = lua_tointegerx(L, i, &ok);
        if (ok && v >= 0) n = static_cast<std::uint64_t>(v);
    }
    if (!n) throw ScriptError{what + ": a size expected, got " + (lua_type(L, i) == LUA_TNUMBER ? "a negative or broken number" : type_name(L, i))};
    return *n;
}
} // namespace

std::uint64_t arg_size(lua_State* L, int i, const char* what) { return size_at(L, i, what); }

int arg_fd(lua_State* L, int i) {
    if (to_pipe(L, i)) throw ScriptError{"an end of the pipe expected: write p.r or p.w"};
    const std::int64_t n = arg_int(L, i, "a file descriptor");
    return n < 0 || n > 1'000'000 ? -1 : static_cast<int>(n);
}

LuaBuffer& arg_buffer(lua_State* L, int i) {
    LuaBuffer* b = to_buffer(L, i);
    if (!b) bad_argument(L, i, "a buffer");
    return *b;
}

std::uint32_t parse_flags(std::string_view text, const FlagName* names, std::size_t count) {
    std::uint32_t bits = 0;
    while (!text.empty()) {
        const std::size_t bar = std::min(text.find('|'), text.size());
        const std::string_view word = text.substr(0, bar);
        const FlagName* const end = names + count;
        const FlagName* const it = std::find_if(names, end, [&](const FlagName& f) { return word == f.name; });
        if (it == end) throw ScriptError{"unknown flag \"" + std::string(word.substr(0, 40)) + "\""};
        bits |= it->bit;
        text.remove_prefix(std::min(bar + 1, text.size()));
    }
    return bits;
}

Options::Options(lua_State* L, int i, const char* what) : L_(L), index_(i), what_(what) {
    if (lua_isnoneornil(L, i)) index_ = 0;
    else if (!lua_istable(L, i)) bad_argument(L, i, "a table of options");
}

bool Options::get(const char* name) {
    asked_.emplace_back(name);
    if (!index_) return false;
    lua_pushstring(L_, name);
    if (lua_rawget(L_, index_) != LUA_TNIL) return true;
    lua_pop(L_, 1);
    return false;
}

std::optional<std::uint64_t> Options::size(const char* name) {
    if (!get(name)) return std::nullopt;
    const std::uint64_t n = size_at(L_, lua_gettop(L_), std::string(what_) + "'s " + name);
    lua_pop(L_, 1);
    return n;
}

std::optional<std::string> Options::string(const char* name) {
    if (!get(name)) return std::nullopt;
    if (lua_type(L_, -1) != LUA_TSTRING) throw ScriptError{std::string(what_) + "'s " + name + ": a string expected, got " + type_name(L_, -1)};
    std::string s = lua_tostring(L_, -1);
    lua_pop(L_, 1);
    return s;
}

std::optional<std::int64_t> Options::integer(const char* name) {
    if (!get(name)) return std::nullopt;
    int ok = 0;
    const lua_Integer n = lua_type(L_, -1) == LUA_TNUMBER ? lua_tointegerx(L_, -1, &ok) : 0;
    if (!ok) throw ScriptError{std::string(what_) + "'s " + name + ": a whole number expected, got " + type_name(L_, -1)};
    lua_pop(L_, 1);
    return n;
}

bool Options::flag(const char* name, bool otherwise) {
    if (!get(name)) return otherwise;
    if (!lua_isboolean(L_, -1)) throw ScriptError{std::string(what_) + "'s " + name + ": true or false expected, got " + type_name(L_, -1)};
    const bool on = lua_toboolean(L_, -1) != 0;
    lua_pop(L_, 1);
    return on;
}

void Options::finish() {
    if (!index_) return;
    for (lua_pushnil(L_); lua_next(L_, index_); lua_pop(L_, 1)) {
        const std::string name = lua_type(L_, -2) == LUA_TSTRING ? lua_tostring(L_, -2) : text_of(L_, -2, true);
        if (std::find(asked_.begin(), asked_.end(), name) == asked_.end()) throw ScriptError{std::string(what_) + " has no option \"" + name + "\""};
    }
}

} // namespace pipescope
