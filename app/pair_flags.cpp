// SPDX-License-Identifier: MIT
// Options to PairOptions.
#include "app/pair_flags.hpp"
#include "core/types.hpp"
#include <limits>

namespace pipescope {

void add_forward_flags(CLI::App& sub, std::string& how, std::uint32_t& connections) {
    auto* const forwarder = sub.add_option("--forwarder", how, "socket to pipe to socket over 127.0.0.1, by a pipe for all or a pipe each")
                                ->check(CLI::IsMember({"shared", "shared-waiting", "own"}));
    sub.add_option("--connections", connections, "through the forwarder, each with a worker")
        ->check(CLI::Range(1u, ForwardOptions::most_connections))
        ->needs(forwarder)
        ->capture_default_str();
    for (CLI::Option* o : sub.get_options())
        for (const char* name : {"--write", "--read", "--buffer", "--offset", "--huge-page", "--busy-loop", "--poll", "--gift", "--same-buffer", "--lock-memory",
                 "--untouched", "--writer-cpu", "--reader-cpu", "--pid"})
            if (o->check_name(name)) forwarder->excludes(o);
}

void add_pair_flags(CLI::App& sub, PairOptions& p) {
    const auto call = [&](const char* name, bool& other, const char* usual, const char* instead, const char* what) {
        sub.add_option_function<std::string>(
               name, [&other, instead](const std::string& s) { other = s == instead; }, what)
            ->check(CLI::IsMember({usual, instead}))
            ->default_str(usual);
    };
    call("--write", p.vmsplice, "write", "vmsplice", "the writer's call: write or vmsplice");
    call("--read", p.splice, "read", "splice", "the reader's call: read, or splice to /dev/null");
    const auto size = [&](const char* name, std::uint64_t& value, const char* what, std::uint64_t least, std::uint64_t most) {
        return sub.add_option(name, value, what)->transform(CLI::AsSizeValue(false))->check(CLI::Range(least, most))->type_name("SIZE");
    };
    constexpr std::uint64_t gib = 1 << 30;
    size("--bytes", p.bytes, "bytes to send, as 1000, 64K, 1G", 1, std::uint64_t{1} << 50)->default_str("1G");
    size("--buffer", p.buffer, "bytes of one call", 1, gib)->default_str("256K");
    size("--offset", p.offset, "bytes past the beginning of a page at which buffers begin; malloc() puts them at 16", 0, page_size - 1)->default_str("0");
    size("--pipe-size", p.pipe_size, "size of the pipe; default half a buffer with vmsplice, else the kernel's", page_size, gib);
    sub.add_flag("--huge-page", p.huge_page, "buffers in 2 MiB pages; refused when the kernel does not give them");
    sub.add_flag("--busy-loop", p.busy_loop, "never block, call again");
    sub.add_flag("--poll", p.poll, "poll() before each call");
    sub.add_flag("--gift", p.gift, "vmsplice with SPLICE_F_GIFT, splice with SPLICE_F_MOVE");
    sub.add_flag("--same-buffer", p.same_buffer, "vmsplice from the two halves of one buffer, not from two buffers");
    sub.add_flag("--lock-memory", p.lock_memory, "mlock() the buffers");
    sub.add_flag("--untouched", p.untouched, "never write to the buffers");
    sub.add_flag("--verify", p.verify, "the reader looks at each byte");
    const auto cpu = [&](const char* name, int& value, const char* what) {
        sub.add_option(name, value, what)->check(CLI::Range(0, std::numeric_limits<int>::max()))->type_name("CPU");
    };
    cpu("--writer-cpu", p.cpu[0], "the one CPU that the writer may run on");
    cpu("--reader-cpu", p.cpu[1], "the one CPU that the reader may run on");
}

} // namespace pipescope
