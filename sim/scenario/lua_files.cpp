// SPDX-License-Identifier: MIT
// Devices, files, FIFOs and epoll as scenarios write them, and signals.
#include "core/describe.hpp"
#include "core/state.hpp"
#include "sim/scenario/lua_api.hpp"
#include <csignal>
#include <poll.h>

namespace pipescope {
namespace {

constexpr const char* fifo_type = "pipescope.fifo";
constexpr const char* sockets_type = "pipescope.sockets";
constexpr const char* epoll_type = "pipescope.epoll";
constexpr std::uint64_t file_limit = std::uint64_t{64} << 20; // bytes of one file
constexpr int object_limit = 256;
constexpr FlagName epoll_bits[] = {{"IN", POLLIN}, {"OUT", POLLOUT}, {"ET", 1u << 31}};

void count(Script& s) {
    if (++s.files > object_limit) throw ScriptError{"more than " + std::to_string(object_limit) + " files, FIFOs and epolls"};
}

int give_fd(lua_State* L, int fd, const char* what) {
    if (fd < 0) throw ScriptError{std::string("no ") + what + ": " + errno_name(-fd)};
    lua_pushinteger(L, fd);
    return 1;
}

int new_null(Script& s, lua_State* L) { return give_fd(L, s.backend().open_null(s.current()), "/dev/null"); }
int new_zero(Script& s, lua_State* L) { return give_fd(L, s.backend().open_zero(s.current()), "/dev/zero"); }

int new_file(Script& s, lua_State* L) {
    Options o(L, 1, "file");
    FileOptions f;
    f.size = o.size("size").value_or(0);
    f.name = o.string("name").value_or("");
    f.cached = o.flag("cached", true);
    o.finish();
    if (f.name.size() > 32 || f.name.find_first_of("[]|@ ") != std::string::npos) throw ScriptError{"a file's name is one short word"};
    s.memory_asked += f.size;
    if (f.size > file_limit || s.memory_asked > memory_limit) throw ScriptError{"a file of more than 64 MiB, or too much in all"};
    count(s);
    return give_fd(L, s.backend().file_new(s.current(), f), "file");
}

int new_socketpair(Script& s, lua_State* L) {
    SocketOptions k;
    if (!lua_isnoneornil(L, 1)) {
        Options o(L, 1, "socketpair");
        const std::string type = o.string("type").value_or("stream");
        k.nonblock = o.flag("nonblock", false);
        o.finish();
        if (type != "stream" && type != "dgram") throw ScriptError{"a socketpair's type is \"stream\" or \"dgram\""};
        k.dgram = type == "dgram";
    }
    count(s);
    const auto fds = s.backend().socketpair_new(s.current(), k);
    if (fds[0] < 0) throw ScriptError{std::string("no sockets: ") + errno_name(-fds[0])};
    push_object(L, sockets_type, LuaSockets{fds[0], fds[1]});
    return 1;
}

int sockets_field(Script&, lua_State* L) {
    const LuaSockets* const p = to_sockets(L, 1);
    if (!p) bad_argument(L, 1, "a socketpair");
    const std::string name = arg_string(L, 2, "a name");
    if (name != "a" && name != "b") throw ScriptError{"a socketpair has the fields a and b, not \"" + name + "\""};
    lua_pushinteger(L, name == "a" ? p->a : p->b);
    return 1;
}

int new_fifo(Script& s, lua_State* L) {
    count(s);
    const std::uint32_t n = s.backend().fifo_new(s.current());
    if (n == no_id) throw ScriptError{"no FIFO to be had"};
    push_object(L, fifo_type, LuaFifo{n});
    return 1;
}

int sys_open(Script& s, lua_State* L) {
    const LuaFifo* const f = to_fifo(L, 1);
    if (!f) bad_argument(L, 1, "a FIFO");
    const std::string mode = arg_string(L, 2, "\"r\", \"w\" or \"rw\"");
    Call c;
    c.nr = Sys::open, c.addr = f->number;
    if (mode == "r") c.flags = F_read;
    else if (mode == "w") c.flags = F_write;
    else if (mode == "rw") c.flags = F_read | F_write;
    else throw ScriptError{"a FIFO is opened \"r\", \"w\" or \"rw\""};
    if (!lua_isnoneornil(L, 3)) {
        if (arg_string(L, 3, "\"nonblock\"") != "nonblock") throw ScriptError{"\"nonblock\" is the one way to open it otherwise"};
        c.flags |= F_nonblock;
    }
    return ask_call(s, L, std::move(c));
}

int new_epoll(Script& s, lua_State* L) {
    const std::uint32_t bits = arg_flags(L, 2, epoll_bits);
    count(s);
    const long item = s.backend().epoll_add(s.current(), arg_fd(L, 1), bits & (POLLIN | POLLOUT), bits >> 31);
    if (item < 0) push_string(L, errno_name(static_cast<int>(-item)));
    else push_object(L, epoll_type, LuaEpoll{static_cast<std::uint32_t>(item)});
    return 1;
}

int look_epoll(Script& s, lua_State* L) {
    const LuaEpoll* const e = to_epoll(L, 1);
    if (!e) bad_argument(L, 1, "an epoll");
    push_string(L, poll_string(s.backend().epoll_wait(s.current(), e->item)));
    return 1;
}

int send_signal(Script& s, lua_State* L) {
    const LuaTask* const t = to_task(L, 1);
    if (!t) bad_argument(L, 1, "a task");
    const std::string name = arg_string(L, 2, "a signal's name");
    if (name != "SIGUSR1" && name != "SIGUSR2") throw ScriptError{"SIGUSR1 and SIGUSR2 are the signals that can be sent"};
    if (s.forked(t->id) && s.ended(t->id)) {
        push_string(L, "ESRCH");
        return 1;
    }
    s.backend().kill(t->id, name == "SIGUSR1" ? SIGUSR1 : SIGUSR2);
    lua_pushinteger(L, 0);
    return 1;
}

} // namespace

LuaFifo* to_fifo(lua_State* L, int i) { return static_cast<LuaFifo*>(luaL_testudata(L, i, fifo_type)); }
LuaSockets* to_sockets(lua_State* L, int i) { return static_cast<LuaSockets*>(luaL_testudata(L, i, sockets_type)); }
LuaEpoll* to_epoll(lua_State* L, int i) { return static_cast<LuaEpoll*>(luaL_testudata(L, i, epoll_type)); }

void open_files(lua_State* L) {
    for (const char* type : {fifo_type, epoll_type}) metatable(L, type, {{"__tostring", entry<object_text>}});
    metatable(L, sockets_type, {{"__index", entry<sockets_field>}, {"__tostring", entry<object_text>}});
    set_global(L, "socketpair", entry<new_socketpair>);
    set_global(L, "null", entry<new_null>);
    set_global(L, "zero", entry<new_zero>);
    set_global(L, "file", entry<new_file>);
    set_global(L, "fifo", entry<new_fifo>);
    set_global(L, "open", entry<sys_open>);
    set_global(L, "epoll", entry<new_epoll>);
    set_global(L, "epoll_wait", entry<look_epoll>);
    set_global(L, "kill", entry<send_signal>);
}

} // namespace pipescope
