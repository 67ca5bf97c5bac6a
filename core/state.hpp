// SPDX-License-Identifier: MIT
// The state of the modelled kernel: plain values, copied whole for a keyframe, changed by apply() alone.
#pragma once
#include "core/event.hpp"
#include "core/frame_array.hpp"
#include "core/mbuf.hpp"
#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <vector>

namespace pipescope {

enum class PageOwner : std::uint8_t { free, kernel, user, page_cache, zero, socket, table, unknown };
const char* page_owner_name(PageOwner o);

enum PageFlag : std::uint32_t { // the few PG_ bits the model keeps, at 6.18's positions
    PG_locked = 1u << 0, PG_referenced = 1u << 2, PG_uptodate = 1u << 3, PG_dirty = 1u << 4, PG_lru = 1u << 5,
    PG_head = 1u << 6, PG_anon_exclusive = 1u << 11, PG_swapbacked = 1u << 17,
    PG_hugetlb = 1u << 31, // no bit of the kernel's flags word, which keeps a page type for it
};
inline constexpr std::int32_t gup_pin_counting_bias = 1024; // GUP_PIN_COUNTING_BIAS: what a pin adds to an order-0 page's refcount

// struct page. refcount and the folio's map counts live in its head, as in the kernel; they count from 0 (the kernel
// stores them less one).
struct Page {
    std::int32_t refcount = 0;
    std::int32_t mapcount = 0;    // of the folio: _mapcount of a single page, _large_mapcount of a compound one
    std::uint32_t flags = 0;      // PageFlag, or the low 32 bits of the flags word in a recording
    PageId compound_head = 0;     // itself for an order-0 page and for a head
    std::uint8_t order = 0;       // of the folio; set in head and tails alike
    PageOwner owner = PageOwner::free;
    std::uint8_t seen = 0;        // PageSeen bits: how a recording knows the owner
    std::uint8_t has_bytes = 0;   // State::bytes holds its content; otherwise it is all zero
    std::uint32_t last_cpu = 0;   // who wrote the reference count last
    std::uint32_t table = no_id;   // index into State::tables when it is a page table
    std::uint32_t user_task = no_id; // recordings: whose memory it is
    std::uint32_t user_index = 0; // recordings: page index in the task's buffer
    std::int32_t entire_mapcount = 0; // _entire_mapcount of a compound page, in its head: entries that map it as a whole
    std::int32_t own_mapcount = 0; // _mapcount of one page of a compound page: entries that map it alone
    std::int32_t pincount = 0;    // _pincount of a large folio, in its head; order 0 keeps pins in refcount
    std::uint64_t pfn = 0;        // recordings: the frame number; 0 where it is not known
};
enum class MapBy : std::uint32_t { page, whole, each }; // an entry for the one page · for the folio · one for each of its pages
enum PageSeen : std::uint8_t { seen_by_pfn = 1, seen_by_bpf = 2, seen_inferred = 4 };

using pte_t = std::uint64_t;
using PageTable = std::array<pte_t, 512>;
enum PteBit : std::uint64_t {
    PTE_P = 1, PTE_RW = 2, PTE_US = 4, PTE_A = 0x20, PTE_D = 0x40, PTE_PSE = 0x80, PTE_PROTNONE = 0x100, PTE_SPECIAL = 0x200,
    PTE_NX = std::uint64_t{1} << 63,
};
inline constexpr std::uint64_t pte_addr_mask = 0x000ffffffffff000ull;

enum VmaFlag : std::uint32_t { VMA_READ = 1, VMA_WRITE = 2, VMA_HUGEPAGE = 4, VMA_SHARED = 8, VMA_HUGETLB_2M = 16, VMA_HUGETLB_1G = 32 };
// Order of the pages that an area of hugetlbfs consists of; 0 for every other area.
constexpr std::uint32_t hugetlb_order(std::uint32_t vma_flags) { return vma_flags & VMA_HUGETLB_1G ? pud_order : vma_flags & VMA_HUGETLB_2M ? pmd_order : 0; }
struct Vma { // [start, end), bytes
    std::uint64_t start = 0, end = 0;
    std::uint32_t flags = 0;
    InodeId inode = no_id;   // of the file that is mapped; anonymous memory has none
    std::uint32_t pgoff = 0; // page of the file at start
};
struct Mm { // mm_struct
    PageId pgd = no_page;
    std::vector<Vma> vmas;
    std::uint8_t levels = 4; // of its page tables: 5 with LA57
};
struct TlbEntry { // one translation, as the hardware read it; mm tags it, as a PCID does
    MmId mm = no_id;  // no_id: empty
    std::uint64_t addr = 0; // of the page
    pte_t entry = 0;
};
struct Tlb { // of one CPU: direct mapped, of a plausible size; real ones are larger and choose otherwise
    std::array<TlbEntry, 256> small{}; // 4 KiB
    std::array<TlbEntry, 32> huge{};   // 2 MiB
    std::array<TlbEntry, 4> giant{};   // 1 GiB
    std::uint64_t hits = 0, misses = 0;
    std::uint64_t flushes = 0, invlpgs = 0; // whole address spaces, and pages of single flushes, that met an entry here
};
struct Buffer { // memory a scenario gave a name to
    StringId name = 0;
    MmId mm = no_id;
    bool scratch = false; // the engine's own space for strings and for reads into nowhere
    std::uint64_t addr = 0, len = 0;
};

enum class BufOps : std::uint8_t { null, anon, user_page, page_cache, default_, nosteal, zero, unknown };
struct PipeBuffer { // pipe_buffer
    PageId page = no_page;
    std::uint32_t offset = 0, len = 0, flags = 0;
    BufOps ops = BufOps::null; // null: the slot is free, the other fields are what its last user left
    bool operator==(const PipeBuffer&) const = default;
};

enum class WaitQueue : std::uint8_t { rd, wr };
struct WaitEntry {
    TaskId task = no_id;
    bool exclusive = false;
    std::uint32_t epoll = no_id; // an epoll item instead of a task: told of wake-ups, never taken off by one
};
struct Mutex {
    TaskId owner = no_id;
    std::vector<TaskId> waiters; // in order of arrival
    TaskId handoff = no_id;      // MUTEX_FLAG_HANDOFF: the waiter that the next unlock gives it to
};

enum class RingSource : std::uint8_t { model, kernel, inferred }; // computed · read from the kernel · guessed from results
enum RingFlag : std::uint64_t { ring_torn = 1 };

struct RingSnapshot { // of a live ring, while its slots come in
    std::uint32_t head = 0, tail = 0, max_usage = 0;
    bool torn = false;
    std::vector<PipeBuffer> bufs; // empty: none is on its way
};

// Of two positions of head and tail, which count on for ever and wrap: whether a comes first.
inline bool before(std::uint32_t a, std::uint32_t b) { return static_cast<std::int32_t>(a - b) < 0; }

struct Pipe { // pipe_inode_info
    StringId name = 0;
    std::uint64_t inode = 0;
    Mutex mutex;
    std::array<std::vector<WaitEntry>, 2> wait; // rd_wait, wr_wait; scanned from the front
    std::uint32_t head = 0, tail = 0, max_usage = 0, ring_size = 0, nr_accounted = 0;
    std::uint32_t readers = 0, writers = 0, files = 0;
    std::uint32_t waiting_writers = 0; // asleep for space; kept by the versions that ask for it, up to 5.4
    std::uint32_t r_counter = 1, w_counter = 1;
    bool poll_usage = false, freed = false, torn = false;
    RingSource source = RingSource::model;
    std::array<PageId, 2> tmp_page{};
    std::vector<PipeBuffer> bufs;
    RingSnapshot incoming;
    std::uint32_t observed_bytes = no_id, observed_size = no_id; // FIONREAD and F_GETPIPE_SZ as a process saw them

    std::uint32_t occupancy() const { return head - tail; }
    bool empty() const { return head == tail; }
    bool full() const { return occupancy() >= max_usage; }
    std::uint32_t slot(std::uint32_t index) const { return index & (ring_size - 1); }
    std::uint64_t bytes() const; // what FIONREAD reports
};

enum class FileKind : std::uint8_t { pipe, null, zero, regular, socket };
enum FileFlag : std::uint32_t { F_read = 1, F_write = 2, F_nonblock = 4, F_direct = 8, F_append = 16,
    F_nowait = 32,   // FMODE_NOWAIT: RWF_NOWAIT is answered; gone with the first splice
    F_nosignal = 64, // RWF_NOSIGNAL: of one call, never of a file
};
struct Inode { // a regular file and its address_space
    StringId name = 0;
    std::uint64_t size = 0;               // bytes
    std::map<std::uint32_t, PageId> pages; // page cache, by index; one that is missing is a hole
};
struct File { // struct file
    FileKind kind = FileKind::pipe;
    std::uint32_t flags = 0; // FileFlag
    PipeId pipe = no_id;
    std::uint32_t refs = 0;  // descriptors that name it
    InodeId inode = no_id;
    std::uint64_t pos = 0;   // f_pos, bytes
    SockId sock = no_id;
    std::uint32_t f_pipe = 0; // FIFO opened for reading when nobody wrote: the w_counter of then, to hold HUP back
};
struct Fifo { // a named pipe; its ring lives while it is open
    StringId name = 0;
    PipeId pipe = no_id;
};
struct Epoll { // one file watched by one epoll descriptor
    FileId file = no_id;
    std::uint32_t events = 0; // EPOLLIN, EPOLLOUT
    bool edge = false;        // EPOLLET
    bool ready = false;       // on the ready list
};

struct SkFrag { // skb_frag_t: offset and size may go beyond the first page of a compound one
    PageId page = no_page;
    std::uint32_t offset = 0, size = 0;
};
struct Skb { // sk_buff: a linear part of its own, then fragments
    PageId head = no_page;                    // where the linear part lies, from the start of that page
    std::uint32_t linear = 0, consumed = 0;   // bytes
    std::uint32_t truesize = 0;               // bytes that its sender is charged for
    SockId owner = no_id;                     // its sender
    std::vector<SkFrag> frags;
    std::uint32_t len() const { // bytes, consumed ones included
        std::uint32_t n = linear;
        for (const SkFrag& f : frags) n += f.size;
        return n;
    }
};
enum class SockType : std::uint8_t { stream, dgram };
enum SockShutdown : std::uint32_t { RCV_SHUTDOWN = 1, SEND_SHUTDOWN = 2 };
struct Socket { // unix_sock, one of a connected pair
    StringId name = 0;
    SockType type = SockType::stream;
    SockId peer = no_id;
    std::uint32_t shutdown = 0; // SockShutdown bits
    std::uint32_t err = 0;      // sk_err: told to the next call, once
    bool dead = false;          // SOCK_DEAD: nobody has it open any more
    std::uint32_t sndbuf = 0, wmem = 0; // bytes: the limit, and the truesize of what it sent and nobody has taken
    std::vector<Skb> queue;     // sk_receive_queue
    std::vector<WaitEntry> wait; // sk_sleep: readers, writers and epoll items alike
};
struct PageFrag { // task_frag: where the next bytes copied out of a socket buffer's linear part go
    PageId page = no_page;
    std::uint32_t offset = 0;
};

enum class RunState : std::uint8_t { user, running, lock_spin, lock_sleep, sleep, runnable, parked, exited };
enum class WaitFor : std::uint8_t { nothing, space, data };
struct Task {
    StringId name = 0;
    MmId mm = no_id;
    FdTableId fds = no_id;
    std::uint64_t pid = 0;
    std::uint32_t cpu = 0;
    RunState run = RunState::user;
    WaitFor wait_for = WaitFor::nothing;
    PipeId pipe = no_id;          // the pipe of the current call
    Sys sys = Sys::none;         // current call, or no_id in user code
    Sys last_sys = Sys::none;
    std::int64_t result = 0;     // of the last finished call
    Event call;                  // the sys_enter event of the current or last call
    Event at;                    // the last stage event; at.stage is no_id outside a call
    std::uint8_t depth = 0;
    std::array<Fn, 8> path{};    // kernel functions it is in, outermost first
    std::uint32_t line = 0;      // of its program, 1-based; 0 unknown
    std::uint32_t pending = 0;   // signals raised and not yet delivered, bit n is signal n
    std::uint32_t delivered = 0; // signals its program got since it last asked
    std::uint64_t calls = 0, bytes = 0, sleeps = 0, wakes = 0;
    PageFrag frag;
};

using PageBytes = std::array<std::uint8_t, page_size>;

struct State {
    State(); // page 0 reserved, page 1 the zero page, nothing else
    std::uint64_t t_ns = 0;
    FrameArray<Page> pages;                    // [0] is reserved, [1] the zero page
    std::vector<PageTable> tables;
    std::array<std::vector<PageId>, 19> free_pages; // by order, last freed first used
    PageId next_page = 2;                      // frames from here on were never used
    std::vector<Mm> mms;
    std::vector<Buffer> buffers;
    std::vector<Pipe> pipes;
    std::vector<Inode> inodes;
    std::vector<File> files;
    std::vector<Fifo> fifos;
    std::vector<Epoll> epolls;
    std::vector<Socket> sockets;
    std::vector<std::vector<FileId>> fdtables; // fd → file or no_id
    std::vector<Task> tasks;
    std::map<PageId, std::shared_ptr<const PageBytes>> bytes; // only of pages that are not all zero
    std::uint64_t lost = 0, bytes_copied = 0;
    TaskId last_task = no_id;                   // who did the last event
    std::vector<Tlb> tlbs;                      // by CPU; of those that something went through
    Mbufs mbufs;
};

// The known content of a scenario's files: a letter that differs from byte to byte and from page to page.
constexpr std::uint8_t file_pattern(std::uint64_t offset) { return static_cast<std::uint8_t>('A' + (offset + offset / page_size * 5) % 26); }

// Folds one event into the state: the only writer of a State. Events of a checked recording are taken on trust only as
// far as indices: an id out of range is refused (false) and changes nothing.
bool apply(State& s, const Event& e);

// A word over everything in the state, contents included: equal states give equal digests.
std::uint64_t digest(const State& s);

} // namespace pipescope
