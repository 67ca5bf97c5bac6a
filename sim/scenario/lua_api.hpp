// SPDX-License-Identifier: MIT
// What the functions offered to scenarios are made of: argument reading that throws, and the one place that raises in Lua.
#pragma once
#include "sim/scenario/script.hpp"
#include <initializer_list>
#include <lua.hpp>
#include <new>
#include <optional>
#include <string>
#include <string_view>

namespace pipescope {

// An API function is C++: it may own things and throw. Lua's errors and yields jump over destructors, so they happen in
// entry() alone, when everything the function owned is gone. While it runs the memory limit does not apply, hence no
// Lua function that it calls can raise for want of memory; it must call none that raises for another reason.
struct ScriptError {
    std::string text; // without file and line
};
using ApiFn = int (*)(Script&, lua_State*);
inline constexpr int api_raises = -1, api_asks = -2; // besides a number of results

int call_api(lua_State* L, ApiFn f);
template <ApiFn F> int entry(lua_State* L) {
    const int n = call_api(L, F);
    if (n == api_asks) return lua_yield(L, 0);
    if (n == api_raises) return lua_error(L);
    return n;
}
// The driver is asked for `c` or for a run, which suspends the program; for the end of an API function.
int ask_call(Script& s, lua_State* L, Call c);
int ask_run(Script& s, lua_State* L, TaskId t, Stage until);

struct LuaBuffer { // memory of a task, or a part of it
    std::uint64_t addr, len;
    std::uint64_t start, end; // of the whole buffer
};
struct LuaPipe {
    int r, w, index;
};
struct LuaTask {
    TaskId id;
};
struct LuaFifo {
    std::uint32_t number;
};
struct LuaEpoll {
    std::uint32_t item;
};
struct LuaSockets {
    int a, b; // descriptors
};
struct LuaMbufs {};
inline constexpr std::uint64_t memory_limit = std::uint64_t{4} << 30; // bytes of all buffers and files of a scenario
// Addresses up to this far behind a buffer may be named: no page is mapped there, and calls fault.
inline constexpr std::uint64_t hole_behind = page_size - 1;

LuaBuffer* to_buffer(lua_State* L, int i); // null when it is something else
LuaPipe* to_pipe(lua_State* L, int i);
LuaTask* to_task(lua_State* L, int i);
LuaFifo* to_fifo(lua_State* L, int i);
LuaEpoll* to_epoll(lua_State* L, int i);
LuaSockets* to_sockets(lua_State* L, int i);
// Stands for an answer that the back end could not give; fields, arithmetic and calls on it give itself again.
LuaMbufs* to_mbufs(lua_State* L, int i);
bool is_unknown(lua_State* L, int i);
int push_unknown(lua_State* L);
void push_string(lua_State* L, std::string_view s);

[[noreturn]] void bad_argument(lua_State* L, int i, const char* wanted);
std::int64_t arg_int(lua_State* L, int i, const char* what);
std::int64_t arg_int_or(lua_State* L, int i, std::int64_t otherwise, const char* what);
std::uint64_t arg_size(lua_State* L, int i, const char* what); // 4096 or "4K"
std::string arg_string(lua_State* L, int i, const char* what);
int arg_fd(lua_State* L, int i);
LuaBuffer& arg_buffer(lua_State* L, int i);
std::string type_name(lua_State* L, int i);
std::string text_of(lua_State* L, int i, bool quoted); // as messages and print() show a value
int current_line(lua_State* L);

struct FlagName {
    const char* name;
    std::uint32_t bit;
};
// Bits of "A|B"; nothing given is 0, a name that is not in the list an error.
template <std::size_t N> std::uint32_t arg_flags(lua_State* L, int i, const FlagName (&names)[N]);
std::uint32_t parse_flags(std::string_view text, const FlagName* names, std::size_t count);

// A table of named options, each asked for once; finish() refuses names that nobody asked for.
class Options {
public:
    Options(lua_State* L, int i, const char* what); // nothing or a table at i
    std::optional<std::uint64_t> size(const char* name);
    std::optional<std::string> string(const char* name);
    std::optional<std::int64_t> integer(const char* name);
    bool flag(const char* name, bool otherwise);
    void finish();

private:
    bool get(const char* name); // pushes the value when there is one
    lua_State* L_;
    int index_;
    const char* what_;
    std::vector<std::string> asked_;
};

// A new object of a type, on the stack.
template <class T> T& push_object(lua_State* L, const char* type, const T& value) {
    T* const p = new (lua_newuserdatauv(L, sizeof(T), 0)) T(value);
    luaL_setmetatable(L, type);
    return *p;
}
void metatable(lua_State* L, const char* type, std::initializer_list<luaL_Reg> functions);
int object_text(Script& s, lua_State* L); // __tostring of them all

void open_sandbox(lua_State* L); // the safe part of Lua's own libraries
void open_objects(lua_State* L); // pipe, task, fork, run
void open_memory(lua_State* L);  // buffer, pin
void open_files(lua_State* L);   // null, zero, file, fifo, open, epoll, epoll_wait, kill
void open_mbufs(lua_State* L);   // mbuf_pool, clusters, udp_send, card_fetch, …
void open_calls(lua_State* L);   // system calls
LuaBuffer& push_buffer(lua_State* L, const Memory& m); // all of m
void open_looking(lua_State* L); // ring, page, walk, expect, …
void set_global(lua_State* L, const char* name, lua_CFunction f);

template <std::size_t N> std::uint32_t arg_flags(lua_State* L, int i, const FlagName (&names)[N]) {
    return lua_isnoneornil(L, i) ? 0 : parse_flags(arg_string(L, i, "flags as a string"), names, N);
}

} // namespace pipescope
