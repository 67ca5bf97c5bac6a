// SPDX-License-Identifier: MIT
// Drawing operations: sizes that lie around the rules, and rare ones often enough.
#include "sim/conform/op.hpp"
#include "core/state.hpp"
#include <algorithm>
#include <fmt/format.h>

namespace pipescope::conform {

std::uint32_t Generator::rnd(std::uint32_t n) { // xorshift64*
    s_ ^= s_ >> 12, s_ ^= s_ << 25, s_ ^= s_ >> 27;
    return static_cast<std::uint32_t>((s_ * 0x2545f4914f6cdd1dull >> 32) % n);
}

std::uint64_t Generator::length() {
    switch (rnd(10)) {
    case 0: return rnd(3);
    case 1: case 2: return rnd(200);
    case 3: return 4090 + rnd(12);
    case 4: return rnd(4096);
    case 5: return 4096ull * (1 + rnd(6));
    case 6: return rnd(12000);
    case 7: return 4096ull * rnd(20) + rnd(40);
    case 8: return rnd(80000);
    default: return 1 + rnd(30);
    }
}

Op Generator::next() {
    static constexpr struct {
        Kind kind;
        std::uint32_t weight;
    } table[] = {{Kind::write, 24}, {Kind::writev, 3}, {Kind::read, 22}, {Kind::readv, 2}, {Kind::vmsplice, 10}, {Kind::vmsplice_out, 4}, {Kind::to_null, 6},
        {Kind::to_zero, 1}, {Kind::from_zero, 2}, {Kind::from_null, 1}, {Kind::pipe_to_pipe, 8}, {Kind::tee, 5}, {Kind::from_file, 5}, {Kind::to_file, 3}, {Kind::sendfile_pipe, 2},
        {Kind::sendfile_file, 1}, {Kind::setpipe_sz, 3}, {Kind::packet_mode, 2}, {Kind::close_read, 1}, {Kind::close_write, 1}, {Kind::make, 2},
        {Kind::dontneed, 1}, {Kind::touch, 3}, {Kind::protect, 1}, {Kind::send, 4}, {Kind::receive, 3}, {Kind::to_socket, 3}, {Kind::from_socket, 4},
        {Kind::socket_close, 1}, {Kind::socket_make, 1}};
    static constexpr std::uint32_t total = [] {
        std::uint32_t n = 0;
        for (const auto& t : table) n += t.weight;
        return n;
    }();
    Op op;
    std::uint32_t pick = rnd(total);
    for (const auto& t : table) {
        if (pick < t.weight) {
            op.kind = t.kind;
            break;
        }
        pick -= t.weight;
    }
    op.p = static_cast<std::uint8_t>(rnd(pipes));
    op.q = static_cast<std::uint8_t>(rnd(pipes));
    op.file = static_cast<std::uint8_t>(rnd(files));
    op.len = length();
    op.end = static_cast<std::uint8_t>(rnd(2));
    const bool reads = reads_memory(op.kind);
    op.area = reads ? Area::dst : rnd(6) == 0 ? Area::raw : rnd(8) == 0 ? (rnd(2) ? Area::own : Area::shared) : Area::src;
    if (reads && rnd(16) == 0) op.area = Area::raw;
    const std::uint32_t in_area = area_pages[static_cast<std::size_t>(op.area)];
    const std::uint64_t area_bytes = std::uint64_t{in_area} * page_size;
    op.off = rnd(3) == 0 ? rnd(static_cast<std::uint32_t>(area_bytes)) : std::uint64_t{rnd(in_area)} * page_size + (rnd(2) ? rnd(200) : 0);
    if (rnd(12)) op.off = std::min(op.off, area_bytes - std::min(area_bytes, op.len)); // mostly inside, sometimes off the end
    // A page that is both source and target of a read comes out as the CPU's copy loop happens to go: the two are kept apart.
    if (constexpr std::uint64_t half = raw_pages / 2 * page_size; op.area == Area::raw && op.kind == Kind::vmsplice) op.off %= half, op.len = std::min(op.len, half - op.off);
    else if (op.area == Area::raw && reads) op.off = half + op.off % half;
    const auto any_source = [&] { return rnd(3) ? rnd(2) ? Area::src : Area::raw : rnd(2) ? Area::own : Area::shared; };
    switch (op.kind) {
    case Kind::writev: case Kind::readv: op.pieces = 1 + rnd(4); break;
    case Kind::vmsplice:
        op.pieces = rnd(4) ? 1 : 1 + rnd(5);
        op.flags = rnd(5) ? 0 : std::uint32_t{PS_SPLICE_F_GIFT};
        if (rnd(100) == 0) op.flags = 16;
        break;
    case Kind::from_file: case Kind::to_file: case Kind::sendfile_pipe: case Kind::sendfile_file:
        op.pos = rnd(3) == 0 ? -1 : static_cast<std::int64_t>(rnd(4) ? rnd(72000) : 4096 * rnd(18));
        break;
    case Kind::setpipe_sz: op.len = rnd(12) ? 4096ull << rnd(7) : rnd(3) ? rnd(70000) : rnd(2) ? 0x80000001ull : 1ull << 40; break;
    case Kind::packet_mode: op.flags = rnd(2); break;
    case Kind::protect: {
        static constexpr std::uint32_t modes[] = {0, VMA_READ, VMA_READ | VMA_WRITE, VMA_READ | VMA_WRITE};
        op.flags = modes[rnd(4)];
        op.area = Area::raw;
        [[fallthrough]];
    }
    case Kind::dontneed:
        if (op.kind == Kind::dontneed) op.area = any_source();
        op.off = std::uint64_t{rnd(own_pages)} * page_size;
        op.len = std::uint64_t{1 + rnd(4)} * page_size;
        op.off = std::min<std::uint64_t>(op.off, own_pages * page_size - op.len);
        break;
    case Kind::touch:
        op.area = any_source();
        op.off = std::uint64_t{rnd(own_pages)} * page_size + rnd(4000);
        op.len = 1 + rnd(16);
        op.flags = 1 + rnd(255);
        break;
    default: break;
    }
    return op;
}

std::string prologue_lua() {
    return "local p = {pipe{nonblock=true}, pipe{nonblock=true}, pipe{nonblock=true}}\n"
           "local src = buffer{size=\"320K\", name=\"src\"}\nlocal raw = buffer{size=\"64K\", name=\"raw\", touched=false}\n"
           "local dst = buffer{size=\"320K\", name=\"dst\"}\nlocal f = {file{size=41060}, file{size=70000, cached=false}}\nlocal n, z = null(), zero()\n"
           "local own, shared = buffer{size=\"48K\", name=\"own\", file=f[1]}, buffer{size=\"80K\", name=\"shared\", file=f[2], shared=true}\n"
           "local s = {socketpair{nonblock=true}, socketpair{type=\"dgram\", nonblock=true}}\n";
}

std::string op_lua(const Op& op, long result) {
    static constexpr const char* area_names[] = {"src", "raw", "dst", "own", "shared"};
    const std::string a = fmt::format("{}:at({}, {})", area_names[static_cast<int>(op.area)], op.off, op.len);
    const std::string r = result < 0 ? fmt::format("\"{}\"", errno_name(static_cast<int>(-result))) : std::to_string(result);
    const std::string p = fmt::format("p[{}]", op.p + 1), q = fmt::format("p[{}]", op.q + 1), f = fmt::format("f[{}]", op.file + 1);
    const std::string end = fmt::format("s[{}].{}", op.file + 1, op.end ? "b" : "a");
    const std::string pos = op.pos < 0 ? "nil" : std::to_string(op.pos);
    std::string list = "{";
    for (std::uint32_t i = 0; i < op.pieces; ++i) {
        const std::uint64_t part = op.len / op.pieces, at = part * i;
        list += fmt::format("{}{}:at({}, {})", i ? ", " : "", area_names[static_cast<int>(op.area)], op.off + at, i + 1 == op.pieces ? op.len - at : part);
    }
    list += "}";
    std::string call;
    switch (op.kind) {
    case Kind::write: call = fmt::format("write({}.w, {})", p, a); break;
    case Kind::writev: call = fmt::format("writev({}.w, {})", p, list); break;
    case Kind::read: call = fmt::format("read({}.r, {})", p, a); break;
    case Kind::readv: call = fmt::format("readv({}.r, {})", p, list); break;
    case Kind::vmsplice: call = fmt::format("vmsplice({}.w, {}, \"SPLICE_F_NONBLOCK{}\")", p, list, op.flags & PS_SPLICE_F_GIFT ? "|SPLICE_F_GIFT" : ""); break;
    case Kind::vmsplice_out: call = fmt::format("vmsplice({}.r, {}, \"SPLICE_F_NONBLOCK\")", p, a); break;
    case Kind::to_null: call = fmt::format("splice({}.r, nil, n, nil, {})", p, op.len); break;
    case Kind::to_zero: call = fmt::format("splice({}.r, nil, z, nil, {})", p, op.len); break;
    case Kind::from_zero: call = fmt::format("splice(z, nil, {}.w, nil, {})", p, op.len); break;
    case Kind::from_null: call = fmt::format("splice(n, nil, {}.w, nil, {})", p, op.len); break;
    case Kind::pipe_to_pipe: call = fmt::format("splice({}.r, nil, {}.w, nil, {})", p, q, op.len); break;
    case Kind::tee: call = fmt::format("tee({}.r, {}.w, {})", p, q, op.len); break;
    case Kind::from_file: call = fmt::format("splice({}, {}, {}.w, nil, {})", f, pos, p, op.len); break;
    case Kind::to_file: call = fmt::format("splice({}.r, nil, {}, {}, {})", p, f, pos, op.len); break;
    case Kind::sendfile_pipe: call = fmt::format("sendfile({}.w, {}, {}, {})", p, f, pos, op.len); break;
    case Kind::sendfile_file: call = fmt::format("sendfile(f[{}], {}, {}, {})", 2 - op.file, f, pos, op.len); break;
    case Kind::setpipe_sz: call = fmt::format("fcntl({}.w, \"F_SETPIPE_SZ\", {})", p, op.len); break;
    case Kind::packet_mode: call = fmt::format("fcntl({}.w, \"F_SETFL\", \"O_NONBLOCK{}\")", p, op.flags ? "|O_DIRECT" : ""); break;
    case Kind::close_read: call = fmt::format("close({}.r)", p); break;
    case Kind::close_write: call = fmt::format("close({}.w)", p); break;
    case Kind::make: return fmt::format("close({0}.r); close({0}.w); {0} = pipe{{nonblock=true}}", p);
    case Kind::dontneed: call = fmt::format("madvise({}, \"MADV_DONTNEED\")", a); break;
    case Kind::touch: return fmt::format("write_bytes({}, {}, (\"\\{}\"):rep({}))", area_names[static_cast<int>(op.area)], op.off, op.flags, op.len);
    case Kind::protect: call = fmt::format("mprotect({}, \"{}\")", a, op.flags & VMA_WRITE ? "rw" : op.flags ? "read" : "none"); break;
    case Kind::send: call = fmt::format("write({}, {})", end, a); break;
    case Kind::receive: call = fmt::format("read({}, {})", end, a); break;
    case Kind::to_socket: call = fmt::format("splice({}.r, nil, {}, nil, {})", p, end, op.len); break;
    case Kind::from_socket: call = fmt::format("splice({}, nil, {}.w, nil, {})", end, p, op.len); break;
    case Kind::socket_close: call = fmt::format("close({})", end); break;
    case Kind::socket_make: return fmt::format("close(s[{0}].a); close(s[{0}].b); s[{0}] = socketpair{{type=\"{1}\", nonblock=true}}", op.file + 1, op.file ? "dgram" : "stream");
    case Kind::count: break;
    }
    return fmt::format("expect({}, {})", call, r);
}

} // namespace pipescope::conform
