// SPDX-License-Identifier: MIT
// This kernel's side of a comparison: real calls on real pipes, files and memory, none of which can block.
#include "core/state.hpp"
#include "sim/conform/side.hpp"
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

namespace pipescope::conform {
namespace {

constexpr std::uint64_t pfn_mask = (std::uint64_t{1} << 55) - 1; // of a pagemap entry

long or_errno(long r) { return r < 0 ? -errno : r; }

std::size_t room_for(std::size_t area) { return std::size_t{area_pages[area]} * page_size + fault_around_bytes; } // aligned, and a hole behind it

void close_fd(int& fd) {
    if (fd >= 0) close(fd);
    fd = -1;
}

} // namespace

std::unique_ptr<KernelSide> KernelSide::make(RingReader* reader, std::string& error) {
    signal(SIGPIPE, SIG_IGN); // what is compared is the errno
    std::unique_ptr<KernelSide> k(new KernelSide);
    k->reader_ = reader;
    for (auto& fds : k->fds_) fds = {-1, -1};
    k->files_.fill(-1);
    for (auto& fds : k->sockets_) fds = {-1, -1};
    const auto fail = [&](const char* what) {
        error = std::string(what) + ": " + std::strerror(errno);
        return nullptr;
    };
    for (std::size_t i = 0; i < 3; ++i) { // a page of PROT_NONE behind each is unmapped again: a hole that stays one
        const std::size_t bytes = std::size_t{area_pages[i]} * page_size;
        void* m = mmap(nullptr, bytes + page_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (m == MAP_FAILED) return fail("mmap");
        k->areas_[i] = static_cast<std::uint8_t*>(m);
        mprotect(k->areas_[i] + bytes, page_size, PROT_NONE);
        madvise(m, bytes, MADV_NOHUGEPAGE);
        if (i == 0)
            for (std::size_t j = 0; j < bytes; ++j) k->areas_[i][j] = src_byte(j);
        if (i == 2) std::memset(m, 0, bytes);
    }
    for (std::uint32_t p = 0; p < pipes; ++p)
        if (!k->make_pipe(p)) return fail("pipe2");
    for (std::uint32_t i = 0; i < socket_pairs; ++i)
        if (!k->make_sockets(i)) return fail("socketpair");
    for (std::uint32_t f = 0; f < files; ++f) {
        k->files_[f] = memfd_create("pipescope", MFD_CLOEXEC);
        if (k->files_[f] < 0 || ftruncate(k->files_[f], static_cast<off_t>(file_bytes[f])) != 0) return fail("memfd_create");
        if (f) continue;
        std::vector<std::uint8_t> bytes((file_bytes[f] + page_size - 1) & ~std::uint64_t{page_size - 1});
        for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = file_pattern(i);
        if (pwrite(k->files_[f], bytes.data(), file_bytes[f], 0) < 0) return fail("pwrite");
    }
    for (std::size_t i = 3; i < areas; ++i) {
        const std::size_t bytes = std::size_t{area_pages[i]} * page_size;
        void* const room = mmap(nullptr, room_for(i), PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (room == MAP_FAILED) return fail("mmap");
        k->rooms_[i - 3] = room;
        void* m = reinterpret_cast<void*>((reinterpret_cast<std::uintptr_t>(room) + fault_around_bytes - 1) & ~(fault_around_bytes - 1));
        if (mmap(m, bytes, PROT_READ | PROT_WRITE, MAP_FIXED | (i == 3 ? MAP_PRIVATE : MAP_SHARED), k->files_[i - 3], 0) == MAP_FAILED) return fail("mmap");
        k->areas_[i] = static_cast<std::uint8_t*>(m);
    }
    k->pagemap_ = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
    // Two untouched pages that are read show the same frame where there is a zero page. Without the right to see frame
    // numbers bit 56 tells: a page that this process alone maps is no shared one.
    std::uint64_t entry[2] = {0, 0};
    for (const std::size_t i : {std::size_t{0}, std::size_t{1}}) (void)*const_cast<const volatile std::uint8_t*>(k->areas_[1] + i * page_size);
    if (pread(k->pagemap_, entry, sizeof entry, static_cast<off_t>(reinterpret_cast<std::uintptr_t>(k->areas_[1]) / page_size * 8)) == sizeof entry)
        k->anon_zero_page_ = (entry[0] & pfn_mask) == (entry[1] & pfn_mask) && !(entry[0] >> 56 & 1);
    madvise(k->areas_[1], 2 * page_size, MADV_DONTNEED);
    k->null_ = open("/dev/null", O_RDWR | O_CLOEXEC);
    k->zero_ = open("/dev/zero", O_RDWR | O_CLOEXEC);
    if (k->null_ < 0 || k->zero_ < 0) return fail("/dev");
    return k;
}

KernelSide::~KernelSide() {
    for (auto& fds : fds_)
        for (int& fd : fds) close_fd(fd);
    for (int& fd : files_) close_fd(fd);
    for (auto& fds : sockets_)
        for (int& fd : fds) close_fd(fd);
    close_fd(pagemap_);
    close_fd(null_);
    close_fd(zero_);
    for (std::size_t i = 3; i < areas; ++i)
        if (rooms_[i - 3]) munmap(rooms_[i - 3], room_for(i));
    for (std::size_t i = 0; i < 3; ++i)
        if (areas_[i]) munmap(areas_[i], (std::size_t{area_pages[i]} + 1) * page_size);
}

bool KernelSide::make_pipe(std::uint32_t p) { return pipe2(fds_[p].data(), O_NONBLOCK | O_CLOEXEC) == 0; }

bool KernelSide::make_sockets(std::uint32_t pair) {
    return socketpair(AF_UNIX, (pair ? SOCK_DGRAM : SOCK_STREAM) | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, sockets_[pair].data()) == 0;
}

long KernelSide::call(const Op& op) {
    const auto& [r, w] = fds_[op.p];
    iovec iov[8];
    const std::uint64_t part = op.len / op.pieces;
    for (std::uint32_t i = 0; i < op.pieces; ++i) iov[i] = {at(op) + part * i, i + 1 == op.pieces ? op.len - part * i : part};
    loff_t pos = op.pos;
    loff_t* at_pos = op.pos < 0 ? nullptr : &pos;
    switch (op.kind) {
    case Kind::write: return or_errno(write(w, at(op), op.len));
    case Kind::writev: return or_errno(writev(w, iov, static_cast<int>(op.pieces)));
    case Kind::read: return or_errno(read(r, at(op), op.len));
    case Kind::readv: return or_errno(readv(r, iov, static_cast<int>(op.pieces)));
    case Kind::vmsplice: return or_errno(vmsplice(w, iov, op.pieces, op.flags | SPLICE_F_NONBLOCK));
    case Kind::vmsplice_out: return or_errno(vmsplice(r, iov, 1, SPLICE_F_NONBLOCK));
    case Kind::to_null: return or_errno(splice(r, nullptr, null_, nullptr, op.len, 0));
    case Kind::to_zero: return or_errno(splice(r, nullptr, zero_, nullptr, op.len, 0));
    case Kind::from_zero: return or_errno(splice(zero_, nullptr, w, nullptr, op.len, 0));
    case Kind::from_null: return or_errno(splice(null_, nullptr, w, nullptr, op.len, 0));
    case Kind::pipe_to_pipe: return or_errno(splice(r, nullptr, fds_[op.q][1], nullptr, op.len, 0));
    case Kind::tee: return or_errno(tee(r, fds_[op.q][1], op.len, 0));
    case Kind::from_file: return or_errno(splice(files_[op.file], at_pos, w, nullptr, op.len, 0));
    case Kind::to_file: return or_errno(splice(r, nullptr, files_[op.file], at_pos, op.len, 0));
    case Kind::sendfile_pipe: return or_errno(sendfile(w, files_[op.file], at_pos, op.len));
    case Kind::sendfile_file: return or_errno(sendfile(files_[1 - op.file], files_[op.file], at_pos, op.len));
    case Kind::setpipe_sz: return or_errno(fcntl(w, F_SETPIPE_SZ, op.len));
    case Kind::packet_mode: return or_errno(fcntl(w, F_SETFL, O_NONBLOCK | (op.flags ? O_DIRECT : 0)));
    case Kind::close_read: case Kind::close_write: {
        int& fd = fds_[op.p][op.kind == Kind::close_write];
        const long ret = or_errno(close(fd));
        fd = -1;
        return ret;
    }
    case Kind::make:
        for (int& fd : fds_[op.p]) close_fd(fd);
        return make_pipe(op.p) ? 0 : -errno;
    case Kind::dontneed: return or_errno(madvise(at(op), op.len, MADV_DONTNEED));
    case Kind::protect:
        for (std::uint64_t i = op.off / page_size; i < (op.off + op.len) / page_size; ++i) raw_protection_[i] = op.flags ? op.flags : no_id;
        return or_errno(mprotect(at(op), op.len, (op.flags & VMA_READ ? PROT_READ : 0) | (op.flags & VMA_WRITE ? PROT_WRITE : 0)));
    case Kind::touch: { // by way of the kernel: where a store would kill this process it gives EFAULT
        std::uint8_t bytes[16];
        std::memset(bytes, static_cast<int>(op.flags), sizeof bytes);
        const std::size_t n = std::min<std::size_t>(op.len, page_size - (op.off & (page_size - 1)));
        const iovec local{bytes, n}, remote{at(op), n};
        return or_errno(process_vm_writev(getpid(), &local, 1, &remote, 1, 0));
    }
    case Kind::send: return or_errno(write(sockets_[op.file][op.end], at(op), op.len));
    case Kind::receive: return or_errno(read(sockets_[op.file][op.end], at(op), op.len));
    case Kind::to_socket: return or_errno(splice(r, nullptr, sockets_[op.file][op.end], nullptr, op.len, 0));
    case Kind::from_socket: return or_errno(splice(sockets_[op.file][op.end], nullptr, w, nullptr, op.len, 0));
    case Kind::socket_close: {
        int& fd = sockets_[op.file][op.end];
        const long ret = or_errno(close(fd));
        fd = -1;
        return ret;
    }
    case Kind::socket_make:
        for (int& fd : sockets_[op.file]) close_fd(fd);
        return make_sockets(op.file) ? 0 : -errno;
    case Kind::count: break;
    }
    return -EINVAL;
}

std::array<Look, pipes> KernelSide::look() {
    std::array<Look, pipes> out;
    pollfd fds[2 * pipes];
    for (std::uint32_t p = 0; p < pipes; ++p)
        for (std::size_t e = 0; e < 2; ++e) fds[2 * p + e] = {fds_[p][e], static_cast<short>(e ? POLLOUT : POLLIN), 0};
    poll(fds, 2 * pipes, 0);
    for (std::uint32_t p = 0; p < pipes; ++p) {
        const int fd = fds_[p][0] >= 0 ? fds_[p][0] : fds_[p][1];
        int n = 0;
        out[p].fionread = ioctl(fd, FIONREAD, &n) == 0 ? n : -errno;
        out[p].size = or_errno(fcntl(fd, F_GETPIPE_SZ));
        out[p].poll_read = fds_[p][0] < 0 ? 0xffff : static_cast<std::uint32_t>(fds[2 * p].revents);
        out[p].poll_write = fds_[p][1] < 0 ? 0xffff : static_cast<std::uint32_t>(fds[2 * p + 1].revents);
    }
    return out;
}

SocketLooks KernelSide::look_sockets() {
    SocketLooks out;
    pollfd fds[2 * socket_pairs];
    for (std::size_t i = 0; i < out.size(); ++i) fds[i] = {sockets_[i / 2][i % 2], POLLIN | POLLOUT, 0};
    poll(fds, 2 * socket_pairs, 0);
    for (std::size_t i = 0; i < out.size(); ++i) {
        int n = 0;
        out[i].fionread = ioctl(fds[i].fd, FIONREAD, &n) == 0 ? n : -errno;
        out[i].poll = fds[i].fd < 0 ? 0xffff : static_cast<std::uint32_t>(fds[i].revents);
    }
    return out;
}

std::optional<Ring> KernelSide::ring(std::uint32_t p, bool identify) {
    const int fd = fds_[p][0] >= 0 ? fds_[p][0] : fds_[p][1];
    if (!reader_ || fd < 0) return std::nullopt;
    const std::optional<LiveRing> live = reader_->read(fd);
    if (!live) return std::nullopt;
    Ring ring{live->head, live->tail, live->ring_size, live->tmp_pages, {}};
    ring.slots.reserve(live->slots.size());
    for (const LiveSlot& s : live->slots) ring.slots.push_back({s.page, 0, s.offset, s.len, s.flags});
    if (!identify || live->slots.empty() || live->slots[0].pfn == 0) return ring;
    std::uint64_t n = 0, map[src_pages > dst_pages ? src_pages : dst_pages];
    for (std::size_t a = 0; a < areas; ++a) {
        const auto at = static_cast<off_t>(reinterpret_cast<std::uintptr_t>(areas_[a]) / page_size * 8);
        if (pread(pagemap_, map, area_pages[a] * 8, at) != static_cast<ssize_t>(area_pages[a] * 8)) return ring;
        for (std::uint32_t i = 0; i < area_pages[a]; ++i) {
            ++n;
            if (!(map[i] >> 63) || !(map[i] >> 56 & 1)) continue; // not there, or the zero page: not this process's alone
            for (std::size_t s = 0; s < ring.slots.size(); ++s)
                if (live->slots[s].pfn == (map[i] & pfn_mask)) ring.slots[s].user = n;
        }
    }
    return ring;
}

const std::uint8_t* KernelSide::page(Area area, std::uint32_t index) const {
    if (area == Area::raw && (raw_protection_[index] == no_id)) return nullptr;
    return areas_[static_cast<std::size_t>(area)] + std::size_t{index} * page_size;
}

} // namespace pipescope::conform
