// SPDX-License-Identifier: MIT
// Memory as scenarios write it: buffers, parts of them, mapped files.
#include "sim/scenario/lua_api.hpp"
#include "sim/scenario/not_here.hpp"
#include <algorithm>

namespace pipescope {
namespace {

constexpr const char* buffer_type = "pipescope.buffer";
constexpr int buffer_limit = 4096;
constexpr std::uint64_t file_map_limit = std::uint64_t{1} << 30; // bytes into a file

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
        if (const auto fd = o.integer("file")) b.file = static_cast<int>(std::clamp<std::int64_t>(*fd, -1, 1'000'000));
        if (b.file >= 0) b.touched = false;
        b.from = o.size("from").value_or(0);
        b.shared = o.flag("shared", false);
        if ((b.file >= 0 || b.shared) && (b.huge || b.hugetlb || b.high)) throw ScriptError{"what is shared or a file's is of ordinary pages"};
        if (b.from % page_size || b.from > file_map_limit) throw ScriptError{"a file is mapped from a whole page on, in its first GiB"};
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
    if (m.error) {
        push_string(L, errno_name(-m.error));
        return 1;
    }
    if (!m.len) throw ScriptError{"no memory for a buffer of " + std::to_string(b.size) + " bytes"};
    push_buffer(L, m);
    return 1;
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

} // namespace

LuaBuffer& push_buffer(lua_State* L, const Memory& m) { return push_object(L, buffer_type, LuaBuffer{m.addr, m.len, m.addr, m.addr + m.len}); }
LuaBuffer* to_buffer(lua_State* L, int i) { return static_cast<LuaBuffer*>(luaL_testudata(L, i, buffer_type)); }

void open_memory(lua_State* L) {
    metatable(L, buffer_type, {{"__index", entry<buffer_field>}, {"__len", entry<buffer_length>}, {"__tostring", entry<object_text>}});
    set_global(L, "buffer", entry<new_buffer>);
    set_global(L, "pin", entry<pin_page>);
}

} // namespace pipescope
