// SPDX-License-Identifier: MIT
// digest(): a word over everything in a state, field by field, so that padding never counts.
#include "core/state.hpp"
#include <cstring>
#include <type_traits>

namespace pipescope {
namespace {

class Digest {
public:
    void word(std::uint64_t v) { // multiply, then fold the upper half down: each bit reaches all others within two words
        h_ = (h_ ^ v) * 0x9fb21c651e98df25u;
        h_ ^= h_ >> 32;
    }
    std::uint64_t value() const { return h_; }

    // Structured bindings name every member: one that is added to a struct does not compile until it is added here.
    template <class T>
    requires std::is_arithmetic_v<T> || std::is_enum_v<T>
    void add(T v) { word(static_cast<std::uint64_t>(v)); }
    template <class T> void add(const std::vector<T>& v) {
        word(v.size());
        for (const T& e : v) add(e);
    }
    template <class T, std::size_t N> void add(const std::array<T, N>& v) {
        for (const T& e : v) add(e);
    }
    void add(const PageBytes& bytes) {
        for (std::size_t i = 0; i < bytes.size(); i += 8) {
            std::uint64_t v;
            std::memcpy(&v, bytes.data() + i, 8);
            word(v);
        }
    }
    void add(const std::map<PageId, std::shared_ptr<const PageBytes>>& m) {
        word(m.size());
        for (const auto& [page, bytes] : m) {
            word(page);
            word(bytes != nullptr);
            if (bytes) add(*bytes);
        }
    }
    void add(const Event& e) {
        const auto& [t_ns, kind, spare, stage, task, pipe, a, b, c, x, y] = e;
        all(t_ns, kind, spare, stage, task, pipe, a, b, c, x, y);
    }
    void add(const Page& p) {
        const auto& [refcount, mapcount, flags, head, order, owner, seen, has_bytes, cpu, table, user_task, user_index, entire, own, pincount, pfn] = p;
        all(refcount, mapcount, flags, head, order, owner, seen, has_bytes, cpu, table, user_task, user_index, entire, own, pincount, pfn);
    }
    void add(const Vma& v) {
        const auto& [start, end, flags, inode, pgoff] = v;
        all(start, end, flags, inode, pgoff);
    }
    void add(const Mm& m) {
        const auto& [pgd, vmas, levels] = m;
        all(pgd, vmas, levels);
    }
    void add(const TlbEntry& t) {
        const auto& [mm, addr, entry] = t;
        all(mm, addr, entry);
    }
    void add(const Tlb& t) {
        const auto& [small, huge, giant, hits, misses, flushes, invlpgs] = t;
        all(small, huge, giant, hits, misses, flushes, invlpgs);
    }
    void add(const FrameArray<Page>& pages) {
        word(pages.size());
        for (const Page& p : pages) add(p);
        word(pages.giants().size());
        for (const auto& [head, tail] : pages.giants()) all(head, tail);
    }
    void add(const Buffer& b) {
        const auto& [name, mm, scratch, addr, len] = b;
        all(name, mm, scratch, addr, len);
    }
    void add(const PipeBuffer& b) {
        const auto& [page, offset, len, flags, ops] = b;
        all(page, offset, len, flags, ops);
    }
    void add(const WaitEntry& w) {
        const auto& [task, exclusive, epoll] = w;
        all(task, exclusive, epoll);
    }
    void add(const Mutex& m) {
        const auto& [owner, waiters, handoff] = m;
        all(owner, waiters, handoff);
    }
    void add(const RingSnapshot& r) {
        const auto& [head, tail, max_usage, torn, bufs] = r;
        all(head, tail, max_usage, torn, bufs);
    }
    void add(const Pipe& p) {
        const auto& [name, inode, mutex, wait, head, tail, max_usage, ring_size, nr_accounted, readers, writers, files, waiting_writers, r_counter, w_counter,
            poll_usage, freed, torn, source, tmp_page, bufs, incoming, observed_bytes, observed_size] = p;
        all(name, inode, mutex, wait, head, tail, max_usage, ring_size, nr_accounted, readers, writers, files, waiting_writers, r_counter, w_counter, poll_usage,
            freed, torn, source, tmp_page, bufs, incoming, observed_bytes, observed_size);
    }
    void add(const Inode& i) {
        const auto& [name, size, pages] = i;
        all(name, size);
        word(pages.size());
        for (const auto& [index, page] : pages) all(index, page);
    }
    void add(const File& f) {
        const auto& [kind, flags, pipe, refs, inode, pos, sock, f_pipe] = f;
        all(kind, flags, pipe, refs, inode, pos, sock, f_pipe);
    }
    void add(const Fifo& f) {
        const auto& [name, pipe] = f;
        all(name, pipe);
    }
    void add(const SkFrag& f) {
        const auto& [page, offset, size] = f;
        all(page, offset, size);
    }
    void add(const Skb& k) {
        const auto& [head, linear, consumed, truesize, owner, frags] = k;
        all(head, linear, consumed, truesize, owner, frags);
    }
    void add(const Socket& k) {
        const auto& [name, type, peer, shutdown, err, dead, sndbuf, wmem, queue, wait] = k;
        all(name, type, peer, shutdown, err, dead, sndbuf, wmem, queue, wait);
    }
    void add(const PageFrag& f) {
        const auto& [page, offset] = f;
        all(page, offset);
    }
    void add(const Epoll& e) {
        const auto& [file, events, edge, ready] = e;
        all(file, events, edge, ready);
    }
    void add(const Task& t) {
        const auto& [name, mm, fds, pid, cpu, run, wait_for, pipe, sys, last_sys, result, call, at, depth, path, line, pending, delivered, calls,
            bytes, sleeps, wakes, frag] = t;
        all(name, mm, fds, pid, cpu, run, wait_for, pipe, sys, last_sys, result, call, at, depth, path, line, pending, delivered, calls, bytes,
            sleeps, wakes, frag);
    }
    void add(const Mbuf& m) {
        const auto& [next, nextpkt, flags, off, len, cluster, used, sum, dat] = m;
        all(next, nextpkt, flags, off, len, cluster, used, sum, dat);
    }
    void add(const Cluster& c) {
        const auto& [page, offset, refs, taken] = c;
        all(page, offset, refs, taken);
    }
    void add(const SentFrame& f) {
        const auto& [bytes, overwritten] = f;
        word(overwritten);
        add(*bytes);
    }
    void add(const Mbufs& b) {
        const auto& [mbufs, clusters, queue, queue_last, fetched, mbufs_taken, clusters_taken, references, copied] = b;
        all(mbufs, clusters, queue, queue_last);
        all(fetched, mbufs_taken, clusters_taken, references, copied);
    }
    void add(const State& s) {
        const auto& [t_ns, pages, tables, free_pages, next_page, mms, buffers, pipes, inodes, files, fifos, epolls, sockets, fdtables, tasks, bytes, lost, bytes_copied, last_task, tlbs, mbufs] =
            s;
        all(t_ns, pages, tables, free_pages, next_page, mms, buffers, pipes, inodes, files, fifos, epolls, sockets, fdtables, tasks, bytes, lost, bytes_copied, last_task, tlbs, mbufs);
    }

private:
    template <class... T> void all(const T&... v) { (add(v), ...); }
    std::uint64_t h_ = 0x243f6a8885a308d3u;
};

} // namespace

std::uint64_t digest(const State& s) {
    Digest d;
    d.add(s);
    return d.value();
}

} // namespace pipescope
