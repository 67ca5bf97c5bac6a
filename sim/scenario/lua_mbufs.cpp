// SPDX-License-Identifier: MIT
// BSD mbufs as scenarios write them: the pool, clusters of a program's own, sending, and the card that fetches.
#include "core/net/mbuf.hpp"
#include "sim/scenario/lua_api.hpp"

namespace pipescope {
namespace {

constexpr const char* mbufs_type = "pipescope.mbufs";
constexpr std::uint64_t cluster_limit = 256;

void need_pool(lua_State* L) {
    if (!to_mbufs(L, 1)) bad_argument(L, 1, "an mbuf_pool");
}

int new_pool(Script& s, lua_State* L) {
    Options o(L, 1, "mbuf_pool");
    const std::uint64_t n = o.size("clusters").value_or(8);
    o.finish();
    if (n < 1 || n > cluster_limit) throw ScriptError{"an mbuf_pool has 1 to " + std::to_string(cluster_limit) + " clusters"};
    const long r = s.backend().mbuf_pool_new(s.current(), static_cast<std::uint32_t>(n));
    if (r == -ENOSYS) {
        s.doom(L, {ScriptStop::Kind::skip, current_line(L), "Linux has no mbufs: a BSD's are the model's alone"});
        return api_raises;
    }
    if (r < 0) throw ScriptError{r == -EEXIST ? "there is an mbuf_pool already" : "no memory for an mbuf_pool"};
    push_object(L, mbufs_type, LuaMbufs{});
    return 1;
}

int take_clusters(Script& s, lua_State* L) {
    need_pool(L);
    const std::int64_t n = arg_int(L, 2, "a number of clusters");
    if (n < 1 || n > static_cast<std::int64_t>(cluster_limit)) throw ScriptError{"clusters() takes 1 to " + std::to_string(cluster_limit)};
    const Memory m = s.backend().clusters_take(s.current(), static_cast<std::uint32_t>(n));
    if (m.len) push_buffer(L, m);
    else push_string(L, "ENOBUFS");
    return 1;
}

int send_datagram(Script& s, lua_State* L) {
    need_pool(L);
    const LuaBuffer& b = arg_buffer(L, 2);
    const std::string how = lua_isnoneornil(L, 3) ? "copy" : arg_string(L, 3, "\"copy\" or \"share\"");
    if (how != "copy" && how != "share") throw ScriptError{"a datagram is sent by \"copy\" or by \"share\""};
    if (b.len == 0) throw ScriptError{"a datagram of 0 bytes"};
    Call c;
    c.nr = Sys::sendto, c.iov = {{b.addr, b.len}}, c.flags = how == "share" ? bsd::send_share : 0;
    return ask_call(s, L, std::move(c));
}

int fetch_packet(Script& s, lua_State* L) {
    need_pool(L);
    Call c;
    c.nr = Sys::if_start;
    return ask_call(s, L, std::move(c));
}

template <auto ask> int look(Script& s, lua_State* L) {
    need_pool(L);
    push_string(L, (s.backend().*ask)());
    return 1;
}

} // namespace

LuaMbufs* to_mbufs(lua_State* L, int i) { return static_cast<LuaMbufs*>(luaL_testudata(L, i, mbufs_type)); }

void open_mbufs(lua_State* L) {
    metatable(L, mbufs_type, {{"__tostring", entry<object_text>}});
    set_global(L, "mbuf_pool", entry<new_pool>);
    set_global(L, "clusters", entry<take_clusters>);
    set_global(L, "udp_send", entry<send_datagram>);
    set_global(L, "card_fetch", entry<fetch_packet>);
    set_global(L, "packets", entry<look<&Backend::packets_text>>);
    set_global(L, "fetched", entry<look<&Backend::fetched_text>>);
}

} // namespace pipescope
