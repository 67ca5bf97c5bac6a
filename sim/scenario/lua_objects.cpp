// SPDX-License-Identifier: MIT
// The things a scenario holds: pipes, tasks, and the stand-in for an answer nobody could give.
#include "sim/scenario/lua_api.hpp"
#include <fmt/format.h>

namespace pipescope {
namespace {

constexpr const char* pipe_type = "pipescope.pipe";
constexpr const char* task_type = "pipescope.task";
constexpr const char* unknown_type = "pipescope.unknown";
constexpr int pipe_limit = 1024;

int pipe_field(Script&, lua_State* L) {
    const LuaPipe* const p = to_pipe(L, 1);
    if (!p) bad_argument(L, 1, "a pipe");
    const std::string name = arg_string(L, 2, "a name");
    if (name == "r") lua_pushinteger(L, p->r);
    else if (name == "w") lua_pushinteger(L, p->w);
    else throw ScriptError{"a pipe has the fields r and w, not \"" + name + "\""};
    return 1;
}

int unknown_again(lua_State* L) { return push_unknown(L); }
int unknown_false(lua_State* L) {
    lua_pushboolean(L, 0);
    return 1;
}

int new_pipe(Script& s, lua_State* L) {
    Options o(L, 1, "pipe");
    PipeOptions p;
    const std::uint64_t slots = o.size("slots").value_or(pipe_def_buffers);
    if (slots < 1 || slots > 1u << 20) throw ScriptError{"a pipe of " + std::to_string(slots) + " slots"};
    p.slots = static_cast<std::uint32_t>(slots);
    p.nonblock = o.flag("nonblock", false);
    p.packet = o.flag("packet", false);
    o.finish();
    if (++s.pipes > pipe_limit) throw ScriptError{"more than " + std::to_string(pipe_limit) + " pipes"};
    const auto fd = s.backend().pipe_new(s.current(), p);
    if (fd[0] < 0) throw ScriptError{std::string("no pipe: ") + errno_name(-fd[0])};
    if (!s.forked(s.current())) s.pipe_of_fd[fd[0]] = s.pipe_of_fd[fd[1]] = s.pipes;
    push_object(L, pipe_type, LuaPipe{fd[0], fd[1], s.pipes});
    return 1;
}

int new_task(Script& s, lua_State* L) {
    const std::string name = arg_string(L, 1, "a name");
    if (!lua_isfunction(L, 2) || lua_iscfunction(L, 2)) bad_argument(L, 2, "a function of the scenario");
    Options o(L, 3, "task");
    const std::int64_t cpu = o.integer("cpu").value_or(-1);
    o.finish();
    if (cpu < -1 || cpu > 255) throw ScriptError{"cpu " + std::to_string(cpu)};
    if (name.empty() || name.size() > 64) throw ScriptError{"a task's name has 1 to 64 characters"};
    if (s.current() != 0) throw ScriptError{"tasks are made by the main chunk"};
    push_object(L, task_type, LuaTask{s.add_task(L, 2, name, static_cast<int>(cpu))});
    return 1;
}

int new_fork(Script& s, lua_State* L) {
    if (!lua_isfunction(L, 1) || lua_iscfunction(L, 1)) bad_argument(L, 1, "a function of the scenario");
    if (s.current() != 0) throw ScriptError{"fork() is for the main chunk"};
    push_object(L, task_type, LuaTask{s.add_fork(L, 1, "child" + std::to_string(++s.forks))});
    return 1;
}

int run_task(Script& s, lua_State* L) {
    const LuaTask* const t = to_task(L, 1);
    if (!t) bad_argument(L, 1, "a task");
    if (s.current() != 0) throw ScriptError{"run() is for the main chunk"};
    if (s.ended(t->id)) throw ScriptError{"task " + s.task_name(t->id) + " has ended already"};
    Stage until = Stage::none;
    if (!lua_isnoneornil(L, 2)) {
        if (arg_string(L, 2, "\"until\"") != "until") throw ScriptError{"run(t, \"until\", stage) is the other way to run a task"};
        const std::string name = arg_string(L, 3, "the name of a stage");
        for (std::uint16_t i = 1; i < static_cast<std::uint16_t>(Stage::count); ++i)
            if (name == stage_info(static_cast<Stage>(i)).id) until = static_cast<Stage>(i);
        if (until == Stage::none) throw ScriptError{"no stage is called \"" + name.substr(0, 40) + "\""};
        if (!s.backend().can_stop()) {
            s.doom(L, {ScriptStop::Kind::skip, current_line(L), "a real kernel does not stop at its stages"});
            return api_raises;
        }
    }
    return ask_run(s, L, t->id, until);
}

} // namespace

LuaPipe* to_pipe(lua_State* L, int i) { return static_cast<LuaPipe*>(luaL_testudata(L, i, pipe_type)); }
LuaTask* to_task(lua_State* L, int i) { return static_cast<LuaTask*>(luaL_testudata(L, i, task_type)); }
bool is_unknown(lua_State* L, int i) { return luaL_testudata(L, i, unknown_type) != nullptr; }
int push_unknown(lua_State* L) {
    lua_newuserdatauv(L, 1, 0);
    luaL_setmetatable(L, unknown_type);
    return 1;
}

std::string text_of(lua_State* L, int i, bool quoted) {
    if (const LuaBuffer* b = to_buffer(L, i)) return "buffer of " + std::to_string(b->len) + " bytes";
    if (const LuaPipe* p = to_pipe(L, i)) return "pipe with ends " + std::to_string(p->r) + " and " + std::to_string(p->w);
    if (const LuaTask* t = to_task(L, i)) return "task " + Script::of(L).task_name(t->id);
    if (to_fifo(L, i)) return "fifo";
    if (to_epoll(L, i)) return "epoll";
    if (to_mbufs(L, i)) return "mbuf pool";
    if (const LuaSockets* k = to_sockets(L, i)) return "sockets " + std::to_string(k->a) + " and " + std::to_string(k->b);
    if (is_unknown(L, i)) return "unknown";
    switch (lua_type(L, i)) {
    case LUA_TSTRING: {
        std::size_t n = 0;
        const char* p = lua_tolstring(L, i, &n);
        if (!quoted) return std::string(p, n);
        std::string out = "\"";
        for (std::size_t k = 0; k < n; ++k) // what is no text is shown by its number
            if (const auto c = static_cast<unsigned char>(p[k]); c < 32 || c == '"') out += fmt::format("\\{}", c);
            else out += p[k];
        out += '"';
        return out;
    }
    case LUA_TNUMBER: {
        if (lua_isinteger(L, i)) return std::to_string(lua_tointeger(L, i));
        char text[40];
        std::snprintf(text, sizeof text, "%.14g", lua_tonumber(L, i));
        return text;
    }
    case LUA_TBOOLEAN: return lua_toboolean(L, i) ? "true" : "false";
    default: return lua_typename(L, lua_type(L, i));
    }
}

void open_objects(lua_State* L) {
    metatable(L, pipe_type, {{"__index", entry<pipe_field>}, {"__tostring", entry<object_text>}});
    metatable(L, task_type, {{"__tostring", entry<object_text>}});
    metatable(L, unknown_type,
        {{"__index", unknown_again}, {"__call", unknown_again}, {"__add", unknown_again}, {"__sub", unknown_again}, {"__mul", unknown_again},
            {"__div", unknown_again}, {"__idiv", unknown_again}, {"__mod", unknown_again}, {"__unm", unknown_again}, {"__concat", unknown_again},
            {"__len", unknown_again}, {"__lt", unknown_false}, {"__le", unknown_false}, {"__tostring", entry<object_text>}});
    set_global(L, "pipe", entry<new_pipe>);
    set_global(L, "task", entry<new_task>);
    set_global(L, "fork", entry<new_fork>);
    set_global(L, "run", entry<run_task>);
}

} // namespace pipescope
