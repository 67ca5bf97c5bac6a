// SPDX-License-Identifier: MIT
// The things a scenario holds: pipes, memory, tasks, and the stand-in for an answer nobody could give.
#include "sim/scenario/lua_api.hpp"
#include "sim/scenario/not_here.hpp"
#include <algorithm>
#include <fmt/format.h>
#include <new>

namespace pipescope {
namespace {

constexpr const char* buffer_type = "pipescope.buffer";
constexpr const char* pipe_type = "pipescope.pipe";
constexpr const char* task_type = "pipescope.task";
constexpr const char* unknown_type = "pipescope.unknown";
constexpr int pipe_limit = 1024, buffer_limit = 4096;

template <class T> T& push_object(lua_State* L, const char* type, const T& value) {
    T* const p = new (lua_newuserdatauv(L, sizeof(T), 0)) T(value);
    luaL_setmetatable(L, type);
    return *p;
}

LuaBuffer part(const LuaBuffer& b, std::int64_t offset, std::optional<std::int64_t> len) {
    if (offset < 0 || (len && *len < 0)) throw ScriptError{"an offset or a length below 0"};
    const std::uint64_t to = b.addr + static_cast<std::uint64_t>(offset);
    if (static_cast<std::uint64_t>(offset) > b.end - b.addr + hole_behind)
        throw ScriptError{"offset " + std::to_string(offset) + " is far outside a buffer of " + std::to_string(b.end - b.start) + " bytes"};
    const std::uint64_t rest = b.addr + b.len > to ? b.addr + b.len - to : 0;
    return {.addr = to, .len = len ? static_cast<std::uint64_t>(*len) : rest, .start = b.start, .end = b.end};
}

int buffer_at(Script&, lua_State* L) {
    const LuaBuffer b = arg_buffer(L, 1);
    const std::int64_t offset = static_cast<std::int64_t>(std::min<std::uint64_t>(arg_size(L, 2, "offset"), INT64_MAX));
    std::optional<std::int64_t> len;
    if (!lua_isnoneornil(L, 3)) len = static_cast<std::int64_t>(std::min<std::uint64_t>(arg_size(L, 3, "length"), INT64_MAX));
    push_object(L, buffer_type, part(b, offset, len));
    return 1;
}

int buffer_field(Script&, lua_State* L) {
    const std::string name = arg_string(L, 2, "a name");
    if (name == "at") lua_pushcfunction(L, entry<buffer_at>);
    else if (name == "size") lua_pushinteger(L, static_cast<lua_Integer>(arg_buffer(L, 1).len));
    else throw ScriptError{"a buffer has no field \"" + name + "\""};
    return 1;
}

int buffer_length(Script&, lua_State* L) {
    lua_pushinteger(L, static_cast<lua_Integer>(arg_buffer(L, 1).len));
    return 1;
}

int pipe_field(Script&, lua_State* L) {
    const LuaPipe* const p = to_pipe(L, 1);
    if (!p) bad_argument(L, 1, "a pipe");
    const std::string name = arg_string(L, 2, "a name");
    if (name == "r") lua_pushinteger(L, p->r);
    else if (name == "w") lua_pushinteger(L, p->w);
    else throw ScriptError{"a pipe has the fields r and w, not \"" + name + "\""};
    return 1;
}

int object_text(Script&, lua_State* L) {
    push_string(L, text_of(L, 1, false));
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

int new_buffer(Script& s, lua_State* L) {
    BufferOptions b;
    if (lua_istable(L, 1)) {
        Options o(L, 1, "buffer");
        const auto size = o.size("size");
        if (!size) throw ScriptError{"a buffer needs a size"};
        b.size = *size;
        b.name = o.string("name").value_or("");
        const std::uint64_t offset = o.size("offset").value_or(0);
        if (offset >= page_size) throw ScriptError{"a buffer's offset is within its first page: 0 to 4095"};
        b.offset = static_cast<std::uint32_t>(offset);
        b.huge = o.flag("huge", false);
        b.touched = o.flag("touched", true);
        b.readonly = o.flag("readonly", false);
        b.high = o.flag("high", false);
        if (const auto text = o.string("hugetlb")) {
            if (*text != "2M" && *text != "1G") throw ScriptError{"hugetlb pages are of \"2M\" or \"1G\""};
            b.hugetlb = *text == "1G" ? pud_order : pmd_order;
            if (b.size % (std::uint64_t{page_size} << b.hugetlb) || b.offset || b.huge)
                throw ScriptError{"a hugetlb buffer is of whole pages of its kind, without an offset, and huge as it is"};
        }
        o.finish();
        if (b.name.size() > 32 || b.name.find_first_of("[]|@ ") != std::string::npos) throw ScriptError{"a buffer's name is one short word"};
    } else {
        b.size = arg_size(L, 1, "size");
    }
    s.memory_asked += b.size + page_size;
    if (b.size == 0) throw ScriptError{"a buffer of 0 bytes"};
    if (b.size > memory_limit || s.memory_asked > memory_limit) throw ScriptError{"more than 4 GiB of buffers"};
    if (++s.buffers > buffer_limit) throw ScriptError{"more than " + std::to_string(buffer_limit) + " buffers"};
    Memory m;
    try {
        m = s.backend().buffer_new(s.current(), b);
    } catch (const NotHere& e) {
        s.doom(L, {ScriptStop::Kind::skip, current_line(L), e.why});
        return api_raises;
    }
    if (!m.len) throw ScriptError{"no memory for a buffer of " + std::to_string(b.size) + " bytes"};
    push_object(L, buffer_type, LuaBuffer{m.addr, m.len, m.addr, m.addr + m.len});
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

int pin_page(Script& s, lua_State* L) {
    const LuaBuffer b = arg_buffer(L, 1);
    const std::int64_t i = arg_int(L, 2, "a page number"), n = arg_int(L, 3, "a number of references");
    const std::uint64_t addr = (b.addr & ~std::uint64_t{page_size - 1}) + static_cast<std::uint64_t>(i) * page_size;
    if (i < 0 || addr >= b.end || n < 0 || n > UINT32_MAX) throw ScriptError{"pin() takes a page of the buffer and 0 to 2^32-1 references"};
    if (s.backend().pin(s.current(), addr, static_cast<std::uint32_t>(n))) return 0;
    s.doom(L, {ScriptStop::Kind::skip, current_line(L), "references that nobody holds are the model's alone"});
    return api_raises;
}

void metatable(lua_State* L, const char* type, std::initializer_list<luaL_Reg> functions) {
    luaL_newmetatable(L, type);
    for (const luaL_Reg& f : functions) {
        lua_pushcfunction(L, f.func);
        lua_setfield(L, -2, f.name);
    }
    lua_pop(L, 1);
}

} // namespace

LuaBuffer* to_buffer(lua_State* L, int i) { return static_cast<LuaBuffer*>(luaL_testudata(L, i, buffer_type)); }
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
    metatable(L, buffer_type, {{"__index", entry<buffer_field>}, {"__len", entry<buffer_length>}, {"__tostring", entry<object_text>}});
    metatable(L, pipe_type, {{"__index", entry<pipe_field>}, {"__tostring", entry<object_text>}});
    metatable(L, task_type, {{"__tostring", entry<object_text>}});
    metatable(L, unknown_type,
        {{"__index", unknown_again}, {"__call", unknown_again}, {"__add", unknown_again}, {"__sub", unknown_again}, {"__mul", unknown_again},
            {"__div", unknown_again}, {"__idiv", unknown_again}, {"__mod", unknown_again}, {"__unm", unknown_again}, {"__concat", unknown_again},
            {"__len", unknown_again}, {"__lt", unknown_false}, {"__le", unknown_false}, {"__tostring", entry<object_text>}});
    set_global(L, "pipe", entry<new_pipe>);
    set_global(L, "buffer", entry<new_buffer>);
    set_global(L, "task", entry<new_task>);
    set_global(L, "fork", entry<new_fork>);
    set_global(L, "run", entry<run_task>);
    set_global(L, "pin", entry<pin_page>);
}

} // namespace pipescope
