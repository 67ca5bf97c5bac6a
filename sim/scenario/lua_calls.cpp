// SPDX-License-Identifier: MIT
// System calls as scenarios write them, turned into Calls for whoever drives the program.
#include "core/state.hpp"
#include "sim/scenario/lua_api.hpp"
#include <algorithm>
#include <sys/mman.h>

namespace pipescope {
namespace {

constexpr FlagName splice_flags[] = {{"SPLICE_F_MOVE", PS_SPLICE_F_MOVE}, {"SPLICE_F_NONBLOCK", PS_SPLICE_F_NONBLOCK},
    {"SPLICE_F_MORE", PS_SPLICE_F_MORE}, {"SPLICE_F_GIFT", PS_SPLICE_F_GIFT}};
constexpr FlagName file_flags[] = {{"O_NONBLOCK", F_nonblock}, {"O_DIRECT", F_direct}, {"O_APPEND", F_append}};
constexpr FlagName rw_flags[] = {{"RWF_NOWAIT", PS_RWF_NOWAIT}, {"RWF_NOSIGNAL", PS_RWF_NOSIGNAL}};
constexpr FlagName advices[] = {{"MADV_DONTNEED", MADV_DONTNEED}, {"MADV_HUGEPAGE", MADV_HUGEPAGE}, {"MADV_COLD", MADV_COLD}};
constexpr FlagName protections[] = {{"rw", VMA_READ | VMA_WRITE}, {"read", VMA_READ}, {"write", VMA_WRITE}, {"none", 0}};
constexpr std::uint64_t scratch_limit = std::uint64_t{4} << 20; // more than any ring holds
constexpr int iovec_limit = 4096;

std::uint32_t arg_splice_flags(lua_State* L, int i) {
    if (lua_type(L, i) == LUA_TNUMBER) return static_cast<std::uint32_t>(arg_int(L, i, "flags")); // for flags that do not exist
    return arg_flags(L, i, splice_flags);
}

std::uint64_t arg_length(lua_State* L, int i, const char* what) {
    if (lua_type(L, i) == LUA_TNUMBER) return static_cast<std::uint64_t>(arg_int(L, i, what)); // -1 is a huge size_t, as in C
    return arg_size(L, i, what);
}

Call call_of(Sys nr, int fd) {
    Call c;
    c.nr = nr, c.fd = fd;
    return c;
}

IoVec vec_of(const LuaBuffer& b) { return {b.addr, b.len}; }

std::vector<IoVec> arg_vecs(lua_State* L, int i) {
    if (const LuaBuffer* b = to_buffer(L, i)) return {vec_of(*b)};
    if (!lua_istable(L, i)) bad_argument(L, i, "a buffer or a list of buffers");
    const auto n = static_cast<int>(std::min<lua_Unsigned>(lua_rawlen(L, i), iovec_limit + 1));
    if (n > iovec_limit) throw ScriptError{"more than " + std::to_string(iovec_limit) + " buffers in one call"};
    std::vector<IoVec> out;
    for (int k = 1; k <= n; ++k) {
        lua_rawgeti(L, i, k);
        const LuaBuffer* b = to_buffer(L, lua_gettop(L));
        if (!b) throw ScriptError{"entry " + std::to_string(k) + " of the list: a buffer expected, got " + type_name(L, lua_gettop(L))};
        out.push_back(vec_of(*b));
        lua_pop(L, 1);
    }
    return out;
}

Memory scratch(Script& s, std::uint64_t len) {
    const Memory m = s.backend().scratch(s.current(), std::max<std::uint64_t>(std::min(len, scratch_limit), 1));
    if (!m.len) throw ScriptError{"no memory for the call's own buffer"};
    return m;
}

int sys_write(Script& s, lua_State* L) {
    Call c = call_of(Sys::write, arg_fd(L, 1));
    if (lua_type(L, 2) == LUA_TSTRING) {
        const std::string text = arg_string(L, 2, "");
        if (text.size() > scratch_limit) throw ScriptError{"a string of more than 4 MiB"};
        const std::uint64_t n = std::min<std::uint64_t>(lua_isnoneornil(L, 3) ? text.size() : arg_length(L, 3, "a number of bytes"), text.size());
        const Memory m = scratch(s, n);
        if (!s.backend().store(s.current(), m.addr, {reinterpret_cast<const std::uint8_t*>(text.data()), n}))
            throw ScriptError{"the string found no room"};
        c.iov = {{m.addr, n}};
    } else {
        const LuaBuffer* b = to_buffer(L, 2);
        if (!b) bad_argument(L, 2, "a buffer or a string");
        c.iov = {{b->addr, lua_isnoneornil(L, 3) ? b->len : arg_length(L, 3, "a number of bytes")}};
    }
    return ask_call(s, L, std::move(c));
}

int sys_read(Script& s, lua_State* L) {
    Call c = call_of(Sys::read, arg_fd(L, 1));
    if (const LuaBuffer* b = to_buffer(L, 2)) {
        c.iov = {{b->addr, lua_isnoneornil(L, 3) ? b->len : arg_length(L, 3, "a number of bytes")}};
    } else {
        const std::uint64_t n = arg_length(L, 2, "a buffer or a number of bytes");
        c.iov = {{scratch(s, n).addr, n}};
    }
    return ask_call(s, L, std::move(c));
}

template <Sys nr> int sys_vector(Script& s, lua_State* L) {
    Call c = call_of(nr, arg_fd(L, 1));
    c.iov = arg_vecs(L, 2);
    return ask_call(s, L, std::move(c));
}

// preadv2(fd, n|buffers, flags) and pwritev2(fd, string|buffers, flags), from the file's own position.
template <Sys nr> int sys_rw2(Script& s, lua_State* L) {
    Call c = call_of(nr, arg_fd(L, 1));
    if (nr == Sys::writev && lua_type(L, 2) == LUA_TSTRING) {
        const std::string text = arg_string(L, 2, "");
        const Memory m = text.size() <= scratch_limit ? scratch(s, text.size()) : Memory{};
        if (!s.backend().store(s.current(), m.addr, {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()}) || !m.len)
            throw ScriptError{"the string found no room"};
        c.iov = {{m.addr, text.size()}};
    } else if (nr == Sys::readv && lua_type(L, 2) == LUA_TNUMBER) {
        const std::uint64_t n = arg_length(L, 2, "a number of bytes");
        c.iov = {{scratch(s, n).addr, n}};
    } else {
        c.iov = arg_vecs(L, 2);
    }
    c.flags = arg_flags(L, 3, rw_flags);
    return ask_call(s, L, std::move(c));
}

int sys_poll(Script& s, lua_State* L) {
    Call c = call_of(Sys::poll, arg_fd(L, 1));
    if (!lua_isnoneornil(L, 2)) {
        if (arg_string(L, 2, "\"wait\"") != "wait") throw ScriptError{"poll(fd) looks, poll(fd, \"wait\") waits"};
        c.flags = ps_poll_wait;
    }
    return ask_call(s, L, std::move(c));
}

int sys_vmsplice(Script& s, lua_State* L) {
    Call c = call_of(Sys::vmsplice, arg_fd(L, 1));
    c.iov = arg_vecs(L, 2);
    c.flags = arg_splice_flags(L, 3);
    return ask_call(s, L, std::move(c));
}

std::int64_t arg_offset(lua_State* L, int i) {
    const std::int64_t n = arg_int_or(L, i, -1, "an offset or nil");
    if (!lua_isnoneornil(L, i) && n < 0) throw ScriptError{"an offset below 0"};
    return n;
}

int sys_splice(Script& s, lua_State* L) {
    Call c = call_of(Sys::splice, arg_fd(L, 1));
    // splice(in, out, n [, flags]) for the many calls without offsets.
    const bool brief = lua_gettop(L) <= 4;
    c.fd_out = arg_fd(L, brief ? 2 : 3);
    if (!brief) c.off_in = arg_offset(L, 2), c.off_out = arg_offset(L, 4);
    c.len = arg_length(L, brief ? 3 : 5, "a number of bytes");
    c.flags = arg_splice_flags(L, brief ? 4 : 6);
    return ask_call(s, L, std::move(c));
}

template <Sys nr> int sys_plain(Script& s, lua_State* L) { return ask_call(s, L, call_of(nr, arg_fd(L, 1))); }

int sys_fcntl(Script& s, lua_State* L) {
    Call c = call_of(Sys::none, arg_fd(L, 1));
    const std::string what = arg_string(L, 2, "the name of an operation");
    if (what == "F_GETPIPE_SZ") {
        c.nr = Sys::fcntl_getpipe_sz;
    } else if (what == "F_SETPIPE_SZ") {
        c.nr = Sys::fcntl_setpipe_sz;
        c.len = arg_length(L, 3, "a size");
    } else if (what == "F_SETFL") {
        c.nr = Sys::fcntl_setfl;
        c.flags = arg_flags(L, 3, file_flags);
    } else {
        throw ScriptError{"fcntl knows F_GETPIPE_SZ, F_SETPIPE_SZ and F_SETFL, not \"" + what.substr(0, 40) + "\""};
    }
    return ask_call(s, L, std::move(c));
}

int sys_tee(Script& s, lua_State* L) {
    Call c = call_of(Sys::tee, arg_fd(L, 1));
    c.fd_out = arg_fd(L, 2);
    c.len = arg_length(L, 3, "a number of bytes");
    c.flags = arg_splice_flags(L, 4);
    return ask_call(s, L, std::move(c));
}

int sys_sendfile(Script& s, lua_State* L) {
    Call c = call_of(Sys::sendfile, arg_fd(L, 2));
    c.fd_out = arg_fd(L, 1);
    c.off_in = arg_offset(L, 3);
    c.len = arg_length(L, 4, "a number of bytes");
    return ask_call(s, L, std::move(c));
}

Call memory_call(Sys nr, lua_State* L) {
    const LuaBuffer& b = arg_buffer(L, 1);
    if (b.len > b.end + page_size - b.addr) throw ScriptError{"a range that goes far beyond the buffer"};
    Call c = call_of(nr, -1);
    c.addr = b.addr, c.len = b.len;
    return c;
}

template <Sys nr> int sys_memory(Script& s, lua_State* L) { return ask_call(s, L, memory_call(nr, L)); }

// One of a list of words, and nothing else.
template <std::size_t N> std::uint32_t arg_word(lua_State* L, int i, const FlagName (&words)[N]) {
    const std::string word = arg_string(L, i, "a word");
    for (const FlagName& w : words)
        if (word == w.name) return w.bit;
    throw ScriptError{"\"" + word.substr(0, 40) + "\" is none of the words known here, such as \"" + words[0].name + "\""};
}

int sys_madvise(Script& s, lua_State* L) {
    Call c = memory_call(Sys::madvise, L);
    c.flags = arg_word(L, 2, advices);
    return ask_call(s, L, std::move(c));
}

int sys_mprotect(Script& s, lua_State* L) {
    Call c = memory_call(Sys::mprotect, L);
    c.flags = arg_word(L, 2, protections);
    return ask_call(s, L, std::move(c));
}

template <auto operation, class... Args> int pinning(Script& s, lua_State* L, Args... args) {
    const LuaBuffer& b = arg_buffer(L, 1);
    if (b.len > b.end + page_size - b.addr) throw ScriptError{"a range that goes far beyond the buffer"};
    const long n = (s.backend().*operation)(s.current(), b.addr, b.len, args...);
    if (n == -ENOSYS) {
        s.doom(L, {ScriptStop::Kind::skip, current_line(L), "memory cannot be pinned in this way here"});
        return api_raises;
    }
    if (n < 0) push_string(L, errno_name(static_cast<int>(-n)));
    else lua_pushinteger(L, n);
    return 1;
}

int pin_memory(Script& s, lua_State* L) {
    const std::string how = lua_isnoneornil(L, 2) ? "rw" : arg_string(L, 2, "\"rw\" or \"read\"");
    if (how != "rw" && how != "read") throw ScriptError{"memory is pinned to be written, \"rw\", or to be \"read\" alone"};
    return pinning<&Backend::pin_pages>(s, L, how == "rw");
}
int unpin_memory(Script& s, lua_State* L) { return pinning<&Backend::unpin_pages>(s, L); }

} // namespace

void open_calls(lua_State* L) {
    set_global(L, "write", entry<sys_write>);
    set_global(L, "read", entry<sys_read>);
    set_global(L, "writev", entry<sys_vector<Sys::writev>>);
    set_global(L, "readv", entry<sys_vector<Sys::readv>>);
    set_global(L, "vmsplice", entry<sys_vmsplice>);
    set_global(L, "splice", entry<sys_splice>);
    set_global(L, "close", entry<sys_plain<Sys::close>>);
    set_global(L, "dup", entry<sys_plain<Sys::dup>>);
    set_global(L, "fcntl", entry<sys_fcntl>);
    set_global(L, "fionread", entry<sys_plain<Sys::fionread>>);
    set_global(L, "poll", entry<sys_poll>);
    set_global(L, "preadv2", entry<sys_rw2<Sys::readv>>);
    set_global(L, "pwritev2", entry<sys_rw2<Sys::writev>>);
    set_global(L, "tee", entry<sys_tee>);
    set_global(L, "sendfile", entry<sys_sendfile>);
    set_global(L, "munmap", entry<sys_memory<Sys::munmap>>);
    set_global(L, "touch", entry<sys_memory<Sys::touch>>);
    set_global(L, "madvise", entry<sys_madvise>);
    set_global(L, "mprotect", entry<sys_mprotect>);
    set_global(L, "pin_pages", entry<pin_memory>);
    set_global(L, "unpin_pages", entry<unpin_memory>);
    // Said at once and on every back end, so that a case cannot half work.
}

} // namespace pipescope
