// SPDX-License-Identifier: MIT
// The key of a state: field by field, pages by first appearance.
#include "sim/explore/state_key.hpp"
#include "core/mm/walk.hpp"
#include <cstring>
#include <map>

namespace pipescope::explore {
namespace {

class Key {
public:
    explicit Key(const State& s) : s_(s) {}
    void add(std::uint64_t v) { h_ = mix(h_, v); }
    void page(PageId p) {
        const auto [it, fresh] = pages_.emplace(p, pages_.size());
        add(it->second);
        if (!fresh || p == no_page || !s_.pages.contains(p)) return;
        const Page& page = s_.pages[p];
        add(static_cast<std::uint64_t>(page.owner));
        add(static_cast<std::uint64_t>(s_.pages[page.compound_head].refcount));
        const auto bytes = s_.bytes.find(p);
        if (bytes == s_.bytes.end() || !bytes->second) return add(0);
        std::uint64_t sum = 0; // a page of zeros counts as none: contents alone decide
        for (std::size_t i = 0; i < page_size; i += 8) {
            std::uint64_t v;
            std::memcpy(&v, bytes->second->data() + i, 8);
            if (v) sum += mix(i + 1, v);
        }
        add(sum);
    }
    void queue(const std::vector<WaitEntry>& q) {
        add(q.size());
        for (const WaitEntry& w : q) add(w.task), add(w.exclusive), add(w.epoll);
    }
    void pipe(const Pipe& p) {
        for (const std::uint64_t v : {p.head, p.tail, p.ring_size, p.max_usage, p.readers, p.writers, p.files, p.r_counter, p.w_counter}) add(v);
        add(p.poll_usage), add(p.freed), add(p.mutex.owner), add(p.mutex.handoff), add(p.waiting_writers), add(p.mutex.waiters.size());
        for (const TaskId t : p.mutex.waiters) add(t);
        queue(p.wait[0]), queue(p.wait[1]);
        for (const PipeBuffer& b : p.bufs) {
            add(b.flags), add(static_cast<std::uint64_t>(b.ops));
            if (b.ops != BufOps::null) add(b.offset), add(b.len), page(b.page);
        }
        for (const PageId t : p.tmp_page) add(t != no_page);
    }
    void socket(const Socket& k) {
        for (const std::uint64_t v : {k.peer, k.shutdown, k.err, k.wmem}) add(v);
        add(k.dead), add(k.queue.size()), queue(k.wait);
        for (const Skb& b : k.queue) {
            add(b.linear), add(b.consumed), add(b.frags.size());
            for (std::uint32_t i = 0; i < b.linear; i += page_size) page(b.head + (i >> page_shift));
            for (const SkFrag& f : b.frags) {
                add(f.offset), add(f.size);
                for (std::uint32_t i = f.offset >> page_shift; i <= (f.offset + f.size - 1) >> page_shift; ++i) page(f.page + i);
            }
        }
    }
    std::uint64_t value() const { return h_; }

private:
    const State& s_;
    std::map<PageId, std::size_t> pages_;
    std::uint64_t h_ = 0x243f6a8885a308d3u;
};

} // namespace

std::uint64_t state_key(const State& s, std::span<const std::uint64_t> programs) {
    Key k(s);
    for (const Buffer& b : s.buffers)
        for (std::uint64_t off = 0; off < b.len; off += page_size) {
            const Walk w = walk(s, b.mm, b.addr + off);
            k.add(w.present);
            if (w.present) k.page(w.page), k.add(w.leaf().entry & (PTE_RW | PTE_PSE));
        }
    for (const Mm& m : s.mms)
        for (const Vma& v : m.vmas) k.add(v.start), k.add(v.end), k.add(v.flags), k.add(v.inode), k.add(v.pgoff);
    for (const Pipe& p : s.pipes) k.pipe(p);
    for (const Socket& q : s.sockets) k.socket(q);
    for (const Inode& i : s.inodes) {
        k.add(i.size);
        for (const auto& [index, page] : i.pages) k.add(index), k.page(page);
    }
    for (const File& f : s.files) k.add(static_cast<std::uint64_t>(f.kind)), k.add(f.flags), k.add(f.refs), k.add(f.pos), k.add(f.f_pipe);
    for (const auto& table : s.fdtables)
        for (const FileId f : table) k.add(f);
    const Mbufs& b = s.mbufs;
    k.add(b.queue), k.add(b.fetched.size());
    for (const Cluster& c : b.clusters) k.add(c.refs);
    for (const Mbuf& m : b.mbufs) k.add(m.used), k.add(m.next), k.add(m.nextpkt), k.add(m.len), k.add(m.off), k.add(m.cluster), k.add(m.sum);
    for (const auto& packet : b.fetched)
        for (const std::uint8_t byte : *packet.bytes) k.add(byte);
    for (const Epoll& e : s.epolls) k.add(e.ready);
    for (const Task& t : s.tasks) {
        k.add(static_cast<std::uint64_t>(t.run)), k.add(static_cast<std::uint64_t>(t.wait_for)), k.add(static_cast<std::uint64_t>(t.sys));
        k.add(static_cast<std::uint64_t>(t.at.stage)), k.add(t.pending), k.add(t.delivered), k.add(t.wakes), k.add(t.frag.offset), k.page(t.frag.page);
    }
    for (const std::uint64_t p : programs) k.add(p);
    return k.value();
}

} // namespace pipescope::explore
