// SPDX-License-Identifier: MIT
// The model's side of a comparison: a bare kernel with nobody looking.
#include "core/mm/walk.hpp"
#include "sim/conform/side.hpp"
#include <cstring>
#include <poll.h>
#include <sys/mman.h>
#include <unistd.h>

namespace pipescope::conform {

ModelSide::ModelSide(const KernelVersion& v, bool anon_zero_page) : kernel_(sink_, v) {
    kernel_.anon_zero_page = anon_zero_page;
    kernel_.observe = false;
    kernel_.limits.cap_sys_admin = geteuid() == 0;
    const MmId mm = kernel_.mm_new();
    kernel_.task_new(0, mm, kernel_.fdtable_new(), 1, 0);
    for (std::size_t i = 0; i < 3; ++i) {
        areas_[i] = kernel_.mmap(0, std::uint64_t{area_pages[i]} * page_size, VMA_READ | VMA_WRITE, page_size);
        if (i != static_cast<std::size_t>(Area::raw)) kernel_.touch(0, areas_[i], std::uint64_t{area_pages[i]} * page_size);
    }
    for (std::uint64_t i = 0; i < src_pages * page_size; i += 8) {
        std::uint8_t raw[8];
        for (std::uint64_t j = 0; j < 8; ++j) raw[j] = src_byte(i + j);
        std::uint64_t word;
        std::memcpy(&word, raw, 8);
        kernel_.emit(EventKind::store, 0, no_id, walk(kernel_.s, mm, areas_[0] + i).page, static_cast<std::uint32_t>(i & (page_size - 1)), 8, word);
    }
    for (std::uint32_t p = 0; p < pipes; ++p) make(p);
    for (std::uint32_t i = 0; i < socket_pairs; ++i) make_sockets(i);
    for (std::uint32_t f = 0; f < files; ++f)
        files_[f] = kernel_.file_open(0, FileKind::regular, F_read | F_write, no_id, kernel_.inode_new(0, 0, file_bytes[f], f == 0));
    areas_[3] = static_cast<std::uint64_t>(kernel_.mmap_file(0, files_[0], own_pages * page_size, VMA_READ | VMA_WRITE, 0, fault_around_bytes));
    areas_[4] = static_cast<std::uint64_t>(kernel_.mmap_file(0, files_[1], shared_pages * page_size, VMA_READ | VMA_WRITE | VMA_SHARED, 0, fault_around_bytes));
    null_ = kernel_.file_open(0, FileKind::null, F_read | F_write, no_id);
    zero_ = kernel_.file_open(0, FileKind::zero, F_read | F_write, no_id);
}

ModelSide::~ModelSide() { kernel_.quiet = true; }

void ModelSide::make(std::uint32_t p) { ids_[p] = kernel_.pipe_new(0, pipe_def_buffers, 0, F_nonblock, fds_[p].data()); }

void ModelSide::make_sockets(std::uint32_t pair) {
    const StringId names[2] = {0, 0};
    kernel_.socketpair(0, pair ? SockType::dgram : SockType::stream, names, F_nonblock, sockets_[pair].data());
}

long ModelSide::run(const Call& c) {
    Thread t;
    auto co = kernel_.syscall(0, c);
    co.start(t);
    t.run();
    kernel_.woken.clear();
    return t.done() ? co.result() : -ERESTARTSYS_; // nothing here may sleep: that is a difference too
}

std::uint64_t ModelSide::addr(const Op& op) const { return areas_[static_cast<std::size_t>(op.area)] + op.off; }

long ModelSide::call(const Op& op) {
    const auto& [r, w] = fds_[op.p];
    Call& c = call_;
    c.iov.clear();
    c.fd = r, c.fd_out = -1, c.len = op.len, c.addr = 0, c.off_in = c.off_out = -1, c.flags = 0;
    const auto segments = [&] {
        const std::uint64_t part = op.len / op.pieces;
        for (std::uint32_t i = 0; i < op.pieces; ++i) c.iov.push_back({addr(op) + part * i, i + 1 == op.pieces ? op.len - part * i : part});
        c.len = 0;
    };
    switch (op.kind) {
    case Kind::write: case Kind::writev: c.nr = Sys::writev, c.fd = w, segments(); break;
    case Kind::read: case Kind::readv: c.nr = Sys::readv, segments(); break;
    case Kind::vmsplice: c.nr = Sys::vmsplice, c.fd = w, c.flags = op.flags | PS_SPLICE_F_NONBLOCK, segments(); break;
    case Kind::vmsplice_out: c.nr = Sys::vmsplice, c.flags = PS_SPLICE_F_NONBLOCK, segments(); break;
    case Kind::to_null: c.nr = Sys::splice, c.fd_out = null_; break;
    case Kind::to_zero: c.nr = Sys::splice, c.fd_out = zero_; break;
    case Kind::from_zero: c.nr = Sys::splice, c.fd = zero_, c.fd_out = w; break;
    case Kind::from_null: c.nr = Sys::splice, c.fd = null_, c.fd_out = w; break;
    case Kind::pipe_to_pipe: c.nr = Sys::splice, c.fd_out = fds_[op.q][1]; break;
    case Kind::tee: c.nr = Sys::tee, c.fd_out = fds_[op.q][1]; break;
    case Kind::from_file: c.nr = Sys::splice, c.fd = files_[op.file], c.fd_out = w, c.off_in = op.pos; break;
    case Kind::to_file: c.nr = Sys::splice, c.fd_out = files_[op.file], c.off_out = op.pos; break;
    case Kind::sendfile_pipe: c.nr = Sys::sendfile, c.fd = files_[op.file], c.fd_out = w, c.off_in = op.pos; break;
    case Kind::sendfile_file: c.nr = Sys::sendfile, c.fd = files_[op.file], c.fd_out = files_[1 - op.file], c.off_in = op.pos; break;
    case Kind::setpipe_sz: c.nr = Sys::fcntl_setpipe_sz, c.fd = w; break;
    case Kind::packet_mode: c.nr = Sys::fcntl_setfl, c.fd = w, c.flags = F_nonblock | (op.flags ? std::uint32_t{F_direct} : 0); break;
    case Kind::close_read: case Kind::close_write: {
        c.nr = Sys::close, c.fd = op.kind == Kind::close_read ? r : w;
        fds_[op.p][op.kind == Kind::close_write] = -1;
        break;
    }
    case Kind::make:
        for (int& fd : fds_[op.p]) {
            c.nr = Sys::close, c.fd = fd;
            if (fd >= 0) run(c);
        }
        make(op.p);
        return 0;
    case Kind::dontneed: return kernel_.madvise(0, addr(op), op.len, MADV_DONTNEED);
    case Kind::protect: return kernel_.mprotect(0, addr(op), op.len, op.flags);
    case Kind::touch: {
        std::uint64_t words[2];
        std::memset(words, static_cast<int>(op.flags), sizeof words);
        const PageId page = kernel_.user_page(0, addr(op), true);
        if (page == no_page) return -EFAULT;
        const auto in_page = static_cast<std::uint32_t>(op.off & (page_size - 1));
        const auto n = std::min(static_cast<std::uint32_t>(op.len), page_size - in_page);
        kernel_.emit(EventKind::store, 0, no_id, page, in_page, n, words[0], words[1]);
        return n;
    }
    case Kind::send: c.nr = Sys::writev, c.fd = sockets_[op.file][op.end], segments(); break;
    case Kind::receive: c.nr = Sys::readv, c.fd = sockets_[op.file][op.end], segments(); break;
    case Kind::to_socket: c.nr = Sys::splice, c.fd_out = sockets_[op.file][op.end]; break;
    case Kind::from_socket: c.nr = Sys::splice, c.fd = sockets_[op.file][op.end], c.fd_out = w; break;
    case Kind::socket_close:
        c.nr = Sys::close, c.fd = sockets_[op.file][op.end];
        sockets_[op.file][op.end] = -1;
        break;
    case Kind::socket_make:
        for (int& fd : sockets_[op.file]) {
            c.nr = Sys::close, c.fd = fd;
            if (fd >= 0) run(c);
        }
        make_sockets(op.file);
        return 0;
    case Kind::count: return -EINVAL;
    }
    return run(c);
}

std::array<Look, pipes> ModelSide::look() {
    std::array<Look, pipes> out;
    for (std::uint32_t p = 0; p < pipes; ++p) {
        const Pipe& pipe = kernel_.s.pipes[ids_[p]];
        const File *r = kernel_.file(0, fds_[p][0]), *w = kernel_.file(0, fds_[p][1]);
        if (!pipe.poll_usage && (r || w)) kernel_.emit(EventKind::poll_usage, 0, ids_[p]);
        out[p].fionread = r || w ? static_cast<long>(pipe.bytes()) : -EBADF;
        out[p].size = r || w ? static_cast<long>(pipe.max_usage) * page_size : -EBADF;
        out[p].poll_read = r ? kernel_.poll_mask(*r) : 0xffff;
        out[p].poll_write = w ? kernel_.poll_mask(*w) : 0xffff;
    }
    return out;
}

SocketLooks ModelSide::look_sockets() {
    SocketLooks out;
    for (std::uint32_t i = 0; i < out.size(); ++i) {
        const File* f = kernel_.file(0, sockets_[i / 2][i % 2]);
        call_.nr = Sys::fionread, call_.fd = sockets_[i / 2][i % 2], call_.iov.clear();
        out[i] = {run(call_), f ? kernel_.poll_mask(*f) : 0xffff};
    }
    return out;
}

Ring ModelSide::ring(std::uint32_t p, bool identify) {
    const Pipe& pipe = kernel_.s.pipes[ids_[p]];
    Ring ring{pipe.head, pipe.tail, pipe.ring_size, static_cast<std::uint32_t>((pipe.tmp_page[0] != no_page) + (pipe.tmp_page[1] != no_page)), {}};
    ring.slots.reserve(pipe.occupancy());
    for (std::uint32_t i = pipe.tail; i != pipe.head; ++i) {
        const PipeBuffer& b = pipe.bufs[pipe.slot(i)];
        ring.slots.push_back({b.page, 0, b.offset, b.len, b.flags});
    }
    if (!identify) return ring;
    std::uint64_t n = 0;
    for (std::size_t a = 0; a < areas; ++a)
        for (std::uint32_t i = 0; i < area_pages[a]; ++i) {
            const Walk w = walk(kernel_.s, 0, areas_[a] + std::uint64_t{i} * page_size);
            ++n;
            if ((w.present || w.protnone) && w.page != zero_page)
                for (Slot& slot : ring.slots)
                    if (slot.page == w.page) slot.user = n;
        }
    return ring;
}

const std::uint8_t* ModelSide::page(Area area, std::uint32_t index) const {
    const PageId page = walk(kernel_.s, 0, areas_[static_cast<std::size_t>(area)] + std::uint64_t{index} * page_size).page;
    const auto it = kernel_.s.bytes.find(page);
    return it == kernel_.s.bytes.end() ? nullptr : it->second->data();
}

} // namespace pipescope::conform
