// SPDX-License-Identifier: MIT
// A back end that is two: each call is made by the model and by this kernel, and what they show afterwards is compared.
#pragma once
#include "sim/lockstep/lockstep.hpp"
#include "sim/model_backend.hpp"
#include <functional>
#include <map>

namespace pipescope::lockstep {

// What the program is told is the model's answer, so that a run without the kernel, for which `kernel` is null, takes the
// same way event by event. Once the two are inside different calls nothing more is compared; Comparison::why says so.
class Shadow final : public Backend {
public:
    Shadow(ModelBackend& model, Backend* kernel) : model_(model), kernel_(kernel) {}
    Comparison seen;
    std::uint64_t started() const { return started_; } // calls, up to now
    struct Last {
        TaskId task = no_id;
        Call call;
        std::optional<long> result; // the model's; nothing: it sleeps
    };
    const Last& last() const { return last_; } // that was started

    const char* name() const override { return "model"; }
    TaskId task_new(const std::string& name, int cpu) override;
    std::array<int, 2> pipe_new(TaskId t, const PipeOptions& o) override;
    Memory buffer_new(TaskId t, const BufferOptions& o) override;
    int open_null(TaskId t) override;
    int open_zero(TaskId t) override;
    int file_new(TaskId t, const FileOptions& o) override;
    std::array<int, 2> socketpair_new(TaskId t, const SocketOptions& o) override;
    std::uint32_t fifo_new(TaskId t) override;
    TaskId fork_task(TaskId parent, const std::string& name) override;
    void hold(TaskId t, bool on) override { model_.hold(t, on); }
    void exit_task(TaskId t) override;
    void kill(TaskId t, int sig) override;
    long epoll_add(TaskId t, int fd, std::uint32_t events, bool edge) override;
    std::uint32_t epoll_wait(TaskId t, std::uint32_t item) override;
    void start(TaskId t, const Call& c) override;
    void settle() override;
    std::optional<long> finished(TaskId t) override;
    bool store(TaskId t, std::uint64_t addr, std::span<const std::uint8_t> bytes) override;
    bool load(TaskId t, std::uint64_t addr, std::span<std::uint8_t> bytes) override;
    Memory scratch(TaskId t, std::uint64_t len) override;
    std::uint32_t take_signals(TaskId t) override;
    long pin_pages(TaskId t, std::uint64_t addr, std::uint64_t len, bool write) override;
    long unpin_pages(TaskId t, std::uint64_t addr, std::uint64_t len) override;
    std::string paging_levels(int levels) override;

    std::optional<std::string> ring(int fd) override { return model_.ring(fd); }
    std::optional<std::uint32_t> ring_size(int fd) override { return model_.ring_size(fd); }
    std::optional<std::uint32_t> max_usage(int fd) override { return model_.max_usage(fd); }
    std::optional<std::uint32_t> tmp_pages(int fd) override { return model_.tmp_pages(fd); }
    std::optional<std::uint64_t> wakeups() override { return model_.wakeups(); }
    std::optional<PageInfo> page(TaskId t, std::uint64_t addr) override { return model_.page(t, addr); }
    std::optional<std::string> walk(TaskId t, std::uint64_t addr) override { return model_.walk(t, addr); }
    std::optional<std::string> entry(TaskId t, std::uint64_t addr) override { return model_.entry(t, addr); }
    std::optional<TlbInfo> tlb(TaskId t) override { return model_.tlb(t); }

private:
    template <class R> R same(const char* what, R model, const std::function<R()>& kernel); // the model's; both are to be equal
    void lose(const std::string& why); // from here on the kernel is left alone
    void compare_rings();
    std::size_t last_event() const { return model_.timeline().size() ? model_.timeline().size() - 1 : 0; }

    ModelBackend& model_;
    Backend* kernel_;
    std::uint64_t started_ = 0;
    Last last_;
    std::vector<Call> calls_; // by task: the last one
    std::map<PipeId, std::string> known_; // a pipe's difference that has been told
    std::vector<std::string> rings_;      // the kernel's, as last read
};

// Where two rings, as ring() prints them, begin to differ; the slot's number, or no_id for head or tail.
std::string first_difference(const std::string& kernel, const std::string& model, std::uint32_t& slot);

} // namespace pipescope::lockstep
