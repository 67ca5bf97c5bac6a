// SPDX-License-Identifier: MIT
// Hashing of Lua values, each table and function once.
#include "sim/scenario/program_word.hpp"
#include "sim/mix.hpp"
#include <lua.hpp>
#include <map>

namespace pipescope {
namespace {

constexpr int deepest = 64;

class Words {
public:
    explicit Words(lua_State* L) : L_(L) {}
    std::uint64_t of(int i, int depth = 0) {
        i = lua_absindex(L_, i);
        const auto type = static_cast<std::uint64_t>(lua_type(L_, i));
        switch (lua_type(L_, i)) {
        case LUA_TBOOLEAN: return mix(type, static_cast<std::uint64_t>(lua_toboolean(L_, i)));
        case LUA_TNUMBER:
            if (lua_isinteger(L_, i)) return mix(type, static_cast<std::uint64_t>(lua_tointeger(L_, i)));
            return mix(type + 1000, static_cast<std::uint64_t>(lua_tonumber(L_, i) * 4096));
        case LUA_TSTRING: {
            std::size_t n = 0;
            const char* const p = lua_tolstring(L_, i, &n);
            std::uint64_t h = mix(type, n);
            for (std::size_t k = 0; k < n; ++k) h = mix(h, static_cast<unsigned char>(p[k]));
            return h;
        }
        case LUA_TTABLE:
        case LUA_TFUNCTION: {
            if (depth > deepest || !lua_checkstack(L_, 8) || lua_iscfunction(L_, i)) return type;
            const void* const object = lua_topointer(L_, i);
            if (const auto known = words_.find(object); known != words_.end()) return known->second;
            words_[object] = type; // what leads back to itself
            return words_[object] = lua_istable(L_, i) ? table(i, depth) : function(i, depth);
        }
        default: return type;
        }
    }

private:
    std::uint64_t table(int i, int depth) { // in no order
        std::uint64_t sum = 0;
        for (lua_pushnil(L_); lua_next(L_, i); lua_pop(L_, 1)) {
            const std::uint64_t key = of(-2, depth + 1);
            sum += mix(key, of(-1, depth + 1));
        }
        return mix(LUA_TTABLE, sum);
    }
    std::uint64_t function(int i, int depth) {
        std::uint64_t h = LUA_TFUNCTION;
        for (int n = 1; lua_getupvalue(L_, i, n); ++n) {
            h = mix(h, of(-1, depth + 1));
            lua_pop(L_, 1);
        }
        return h;
    }
    lua_State* L_;
    std::map<const void*, std::uint64_t> words_;
};

} // namespace

std::uint64_t value_word(lua_State* L, int index) { return Words(L).of(index); }

} // namespace pipescope
