// SPDX-License-Identifier: MIT
// RingReader: runs the snapshot programs and turns their answers into values.
#include "sim/live/ring_reader.hpp"
#include <algorithm>
#if PIPESCOPE_HAVE_BPF
#include "sim/live/bpf_load.hpp"
#include "sim/live/ring_impl.hpp"
#include "ring.skel.h"
#include <bpf/bpf.h>
#include <bpf/libbpf.h>

namespace pipescope {

RingReader::Impl::~Impl() {
    if (skeleton) ring_bpf__destroy(skeleton);
}

bool RingReader::Impl::run(int program, ring_args& args) const {
    if (program < 0) return false;
    bpf_test_run_opts opts{};
    opts.sz = sizeof opts;
    opts.ctx_in = &args;
    opts.ctx_size_in = sizeof args;
    return bpf_prog_test_run_opts(program, &opts) == 0 && answer->ok;
}

bool RingReader::Impl::ring(int fd, std::uint32_t first) const {
    if (fd < 0) return false;
    ring_args args{};
    args.fd = static_cast<std::uint32_t>(fd);
    args.first = first;
    return run(ring_prog, args);
}

std::unique_ptr<RingReader> RingReader::open(std::string& why) {
    bpf_quiet();
    std::vector<BpfRefusal> refusals;
    const auto as_is = [](ring_bpf&) {};
    const auto has = [](const std::vector<std::string>& programs, const char* name) {
        return std::find(programs.begin(), programs.end(), name) != programs.end();
    };
    struct Set { // the best first: plain loads, only by helper, only by way of a raw tracepoint
        const char *ring, *page, *walk;
    };
    constexpr Set sets[] = {{"ring_direct", "page_at", "walk_at"}, {"ring_probed", "page_at", "walk_at"}, {"ring_raw", "page_raw", "walk_raw"}};
    ring_bpf* skeleton = nullptr;
    Set set{};
    for (std::size_t i = 0; i < std::size(sets) && !skeleton; ++i) {
        set = sets[i];
        std::vector<std::string> programs = {set.ring, set.page, set.walk};
        skeleton = bpf_load_allowed<ring_bpf>(programs, refusals, as_is);
        if (skeleton && !has(programs, set.ring)) {
            ring_bpf::destroy(skeleton);
            skeleton = nullptr;
        }
    }
    if (!skeleton) {
        why = "rings cannot be read here: " + bpf_reason(refusals.empty() ? EINVAL : refusals.front().err);
        return nullptr;
    }
    std::unique_ptr<RingReader> reader(new RingReader);
    Impl& impl = *reader->impl_;
    impl.skeleton = skeleton;
    impl.answer = &skeleton->bss->answer;
    const auto program = [&](const char* name) { return bpf_program__fd(bpf_object__find_program_by_name(skeleton->obj, name)); };
    impl.ring_prog = program(set.ring);
    impl.page_prog = program(set.page);
    impl.walk_prog = program(set.walk);
    impl.learn();
    return reader;
}

RingReader::RingReader() : impl_(std::make_unique<Impl>()) {}
RingReader::~RingReader() = default;
const LiveFacts& RingReader::facts() const { return impl_->facts; }

std::optional<LiveRing> RingReader::read(int fd) {
    LiveRing ring;
    const bpf_ring& now = impl_->answer->ring;
    constexpr int attempts = 8; // a ring in use is seldom caught whole at once
    for (int attempt = 0; attempt < attempts; ++attempt) {
        ring.slots.clear();
        ring.torn = false;
        do {
            const auto done = static_cast<std::uint32_t>(ring.slots.size());
            if (!impl_->ring(fd, done)) return std::nullopt;
            if (done == 0) {
                ring.address = now.pipe;
                ring.head = now.head, ring.tail = now.tail, ring.ring_size = now.ring_size, ring.max_usage = now.max_usage;
                ring.readers = now.readers, ring.writers = now.writers, ring.files = now.files;
                ring.owner_tid = now.owner_tid;
                ring.tmp_pages = impl_->answer->tmp_pages;
                ring.poll_usage = impl_->answer->poll_usage != 0;
            }
            ring.torn = ring.torn || now.torn || now.head != ring.head || now.tail != ring.tail || now.head - now.tail > now.ring_size;
            for (std::uint32_t i = 0; i < now.slots; ++i) {
                const bpf_slot& s = now.slot[i];
                LiveSlot slot;
                slot.index = (ring.tail + done + i) & (ring.ring_size - 1);
                slot.page = s.page;
                slot.pfn = impl_->facts.pfn_of(s.page);
                slot.offset = s.offset, slot.len = s.len, slot.flags = s.flags;
                slot.ops = impl_->facts.ops_at(s.ops);
                slot.refcount = s.refcount;
                slot.order = s.order;
                slot.tail = s.tail != 0;
                slot.head = !slot.tail && s.order != 0;
                ring.slots.push_back(slot);
            }
            if (now.slots == 0) break;
        } while (!ring.torn && ring.slots.size() < ring.head - ring.tail);
        if (!ring.torn) break;
    }
    return ring;
}

std::optional<LivePage> RingReader::page(std::uint64_t pfn) {
    if (!impl_->facts.vmemmap || pfn == 0) return std::nullopt;
    ring_args args{};
    args.addr = impl_->facts.vmemmap + pfn * impl_->facts.page_bytes;
    if (!impl_->run(impl_->page_prog, args)) return std::nullopt;
    const bpf_slot& info = impl_->answer->ring.slot[0];
    LivePage page;
    page.tail = info.tail != 0;
    page.head = !page.tail && info.order != 0;
    page.order = info.order;
    page.refcount = info.refcount;
    page.mapcount = impl_->answer->mapcount;
    return page;
}

std::optional<std::vector<std::uint64_t>> RingReader::walk(std::uint64_t addr, bool folded) {
    if (!impl_->direct_map) return std::nullopt;
    ring_args args{};
    args.addr = addr;
    args.base = impl_->direct_map;
    args.levels = impl_->levels;
    if (!impl_->run(impl_->walk_prog, args)) return std::nullopt;
    const std::uint32_t skip = folded && impl_->levels == 5 && impl_->answer->levels > 1 ? 1 : 0;
    return std::vector<std::uint64_t>(impl_->answer->entry + skip, impl_->answer->entry + impl_->answer->levels);
}

} // namespace pipescope

#else

namespace pipescope {

struct RingReader::Impl {
    LiveFacts facts;
};
std::unique_ptr<RingReader> RingReader::open(std::string& why) {
    why = "this pipescope was built without BPF";
    return nullptr;
}
RingReader::RingReader() : impl_(std::make_unique<Impl>()) {}
RingReader::~RingReader() = default;
std::optional<LiveRing> RingReader::read(int) { return std::nullopt; }
std::optional<LivePage> RingReader::page(std::uint64_t) { return std::nullopt; }
std::optional<std::vector<std::uint64_t>> RingReader::walk(std::uint64_t, bool) { return std::nullopt; }
const LiveFacts& RingReader::facts() const { return impl_->facts; }

} // namespace pipescope
#endif

namespace pipescope {

BufOps LiveFacts::ops_at(std::uint64_t address) const {
    if (address == 0) return BufOps::null;
    for (const auto& [known, kind] : ops)
        if (known == address) return kind;
    return BufOps::unknown;
}
BufOps LiveFacts::ops_at_low(std::uint32_t half) const {
    if (half == 0) return BufOps::null;
    for (const auto& [known, kind] : ops)
        if (static_cast<std::uint32_t>(known) == half) return kind;
    return BufOps::unknown;
}

} // namespace pipescope
