// SPDX-License-Identifier: MIT
// The part of Lua's own libraries that a scenario from a stranger may use, made deterministic and bounded.
#include "sim/scenario/lua_api.hpp"
#include <algorithm>

namespace pipescope {
namespace {

// Every name of the base library that stays. What is left out either reaches the system (dofile, loadfile, load, which
// also takes bytecode), or could make library loops run for ever without an instruction being counted (metatables).
constexpr const char* base_names[] = {"assert", "error", "ipairs", "pcall", "rawequal", "rawlen", "select", "tonumber", "type", "_VERSION"};
constexpr std::int64_t table_limit = 10'000'000; // elements that one library call may walk over
constexpr double pattern_limit = 1e10;           // steps that one pattern may need at worst

int original(lua_State* L) { // calls the library function that a guard stands before
    const int n = lua_gettop(L);
    lua_pushvalue(L, lua_upvalueindex(1));
    lua_insert(L, 1);
    lua_call(L, n, LUA_MULTRET);
    return lua_gettop(L);
}

bool reference(int type) { return type == LUA_TTABLE || type == LUA_TFUNCTION || type == LUA_TTHREAD || type == LUA_TLIGHTUSERDATA; }

// The address of a table would differ from run to run, so it is called by its type alone.
int guard_tostring(lua_State* L) {
    luaL_checkany(L, 1);
    if (reference(lua_type(L, 1))) lua_pushstring(L, luaL_typename(L, 1));
    else luaL_tolstring(L, 1, nullptr);
    return 1;
}

int guard_format(lua_State* L) {
    const char* f = luaL_checkstring(L, 1);
    for (; *f; ++f)
        if (*f == '%') {
            ++f;
            while (*f && !((*f >= 'a' && *f <= 'z') || (*f >= 'A' && *f <= 'Z') || *f == '%')) ++f;
            if (*f == 'p') return luaL_error(L, "%%p is not available: addresses differ from run to run");
            if (!*f) break;
        }
    for (int i = 2, n = lua_gettop(L); i <= n; ++i)
        if (reference(lua_type(L, i))) {
            lua_pushstring(L, luaL_typename(L, i));
            lua_replace(L, i);
        }
    return original(L);
}

// string.rep("", 2^60) loops without an instruction and without memory.
int guard_rep(lua_State* L) {
    std::size_t n = 0, sep = 0;
    luaL_checklstring(L, 1, &n);
    luaL_optlstring(L, 3, "", &sep);
    if (n + sep == 0) {
        lua_pushliteral(L, "");
        return 1;
    }
    return original(L);
}

// A backtracking match can take time that grows with a power of the text's length, all inside one instruction.
int guard_pattern(lua_State* L) {
    if (is_unknown(L, 1)) {
        lua_pushvalue(L, 1);
        return 1;
    }
    if (lua_type(L, 1) == LUA_TSTRING && lua_type(L, 2) == LUA_TSTRING && !lua_toboolean(L, 4)) {
        std::size_t text = 0, len = 0;
        lua_tolstring(L, 1, &text);
        const char* p = lua_tolstring(L, 2, &len);
        double steps = static_cast<double>(text) + 1;
        int repeats = 0;
        for (std::size_t i = 0; i < len; ++i) {
            if (p[i] == '%') ++i;
            else if (p[i] == '*' || p[i] == '+' || p[i] == '-' || p[i] == '?') steps *= (static_cast<double>(text) + 1) / ++repeats;
            if (steps > pattern_limit) return luaL_error(L, "a pattern that could take too long on %d characters", static_cast<int>(text));
        }
    }
    return original(L);
}

int guard_table(lua_State* L) {
    if (lua_istable(L, 1) && lua_rawlen(L, 1) > static_cast<lua_Unsigned>(table_limit)) return luaL_error(L, "a table of too many elements");
    for (int i = 2, n = std::min(lua_gettop(L), 5); i <= n; ++i) {
        int ok = 0;
        const lua_Integer v = lua_type(L, i) == LUA_TNUMBER ? lua_tointegerx(L, i, &ok) : 0;
        const bool position = lua_tointeger(L, lua_upvalueindex(2)) != 0; // its numbers are positions, not values
        if (position && ok && (v > table_limit || v < -table_limit)) return luaL_error(L, "a position out of any sensible range");
    }
    return original(L);
}

int guard_randomseed(lua_State* L) {
    luaL_checknumber(L, 1); // without an argument Lua would seed from the clock
    return original(L);
}

// pairs() in Lua goes by hash value, and hashes are seeded by address and time: here numbers come first, then strings, sorted.
struct Key {
    int type = LUA_TNIL;
    double number = 0;
    std::string text;
    int position = 0;
};

int pairs_next(lua_State* L) {
    for (;;) {
        const lua_Integer i = lua_tointeger(L, lua_upvalueindex(2)) + 1;
        lua_pushinteger(L, i);
        lua_replace(L, lua_upvalueindex(2));
        if (lua_rawgeti(L, lua_upvalueindex(1), i) == LUA_TNIL) return 1;
        lua_pushvalue(L, -1);
        if (lua_rawget(L, 1) != LUA_TNIL) return 2; // not if it was taken out meanwhile
        lua_pop(L, 2);
    }
}

int sorted_pairs(Script&, lua_State* L) {
    if (!lua_istable(L, 1)) bad_argument(L, 1, "a table");
    std::vector<Key> keys;
    lua_newtable(L); // the keys as they come; then the same sorted
    const int unsorted = lua_gettop(L);
    int n = 0;
    for (lua_pushnil(L); lua_next(L, 1); lua_pop(L, 1)) {
        Key k;
        k.type = lua_type(L, -2), k.position = ++n;
        if (k.type == LUA_TNUMBER) k.number = lua_tonumber(L, -2);
        if (k.type == LUA_TSTRING) {
            std::size_t len = 0;
            const char* p = lua_tolstring(L, -2, &len);
            k.text.assign(p, len);
        }
        keys.push_back(std::move(k));
        lua_pushvalue(L, -2);
        lua_rawseti(L, unsorted, n);
    }
    std::stable_sort(keys.begin(), keys.end(), [](const Key& a, const Key& b) {
        if (a.type != b.type) return a.type == LUA_TNUMBER || (b.type != LUA_TNUMBER && a.type == LUA_TSTRING);
        return a.number != b.number ? a.number < b.number : a.text < b.text;
    });
    lua_createtable(L, n, 0);
    for (int i = 0; i < n; ++i) {
        lua_rawgeti(L, unsorted, keys[static_cast<std::size_t>(i)].position);
        lua_rawseti(L, -2, i + 1);
    }
    lua_pushinteger(L, 0);
    lua_pushcclosure(L, pairs_next, 2);
    lua_pushvalue(L, 1);
    lua_pushnil(L);
    return 3;
}

void guard(lua_State* L, const char* library, const char* name, lua_CFunction f, bool positions = true) {
    lua_getglobal(L, library);
    lua_getfield(L, -1, name);
    lua_pushinteger(L, positions);
    lua_pushcclosure(L, f, 2);
    lua_setfield(L, -2, name);
    lua_pop(L, 1);
}

void forget(lua_State* L, const char* library, const char* name) {
    lua_getglobal(L, library);
    lua_pushnil(L);
    lua_setfield(L, -2, name);
    lua_pop(L, 1);
}

} // namespace

void open_sandbox(lua_State* L) {
    luaL_requiref(L, "_G", luaopen_base, 0);
    lua_newtable(L); // the new globals
    for (const char* name : base_names) {
        lua_getfield(L, -2, name);
        lua_setfield(L, -2, name);
    }
    lua_rawseti(L, LUA_REGISTRYINDEX, LUA_RIDX_GLOBALS);
    lua_pop(L, 1);
    luaL_requiref(L, "string", luaopen_string, 1);
    luaL_requiref(L, "table", luaopen_table, 1);
    luaL_requiref(L, "math", luaopen_math, 1);
    lua_pop(L, 3);
    forget(L, "string", "dump");
    for (const char* name : {"find", "match", "gmatch", "gsub"}) guard(L, "string", name, guard_pattern);
    guard(L, "string", "rep", guard_rep);
    guard(L, "string", "format", guard_format);
    for (const char* name : {"concat", "move", "unpack"}) guard(L, "table", name, guard_table);
    for (const char* name : {"insert", "remove", "sort"}) guard(L, "table", name, guard_table, false);
    lua_getglobal(L, "math");
    lua_getfield(L, -1, "randomseed");
    lua_pushinteger(L, 1);
    lua_call(L, 1, 0);
    lua_pop(L, 1);
    guard(L, "math", "randomseed", guard_randomseed);
    set_global(L, "tostring", guard_tostring);
    set_global(L, "pairs", entry<sorted_pairs>);
    lua_pushnil(L); // LUA_LOADED_TABLE holds the full base library; nothing reaches it without require
    lua_setfield(L, LUA_REGISTRYINDEX, LUA_LOADED_TABLE);
}

} // namespace pipescope
