// SPDX-License-Identifier: MIT
// What every function of the modelled kernel is made of: the state it reads, the events it emits, the stages it stops at.
#pragma once
#include "core/kernel/co.hpp"
#include "core/sink.hpp"
#include "core/version.hpp"
#include <deque>

namespace pipescope {

struct Limits { // what fs/pipe.c asks about the caller, and its sysctls
    bool cap_sys_resource = false, cap_sys_admin = false;
    std::uint32_t pipe_max_size = 1u << 20;     // bytes
    std::uint32_t user_pages_soft = 16384;      // pages of all of the user's pipes; 0: no limit
    std::uint32_t user_pages_hard = 0;
};

struct StageArgs { // operands of a stage, as listed in stages.def
    std::uint32_t a = 0, b = 0, c = 0;
    std::uint64_t x = 0, y = 0;
};

class KernelBase {
public:
    KernelBase(EventSink& sink, const KernelVersion& v) : s(sink.state()), version(v), sink_(sink) {}
    KernelBase(const KernelBase&) = delete;
    KernelBase& operator=(const KernelBase&) = delete;

    const State& s;
    const KernelVersion version;
    Limits limits;
    std::uint64_t now_ns = 0;              // the engine's clock: stamps the events
    std::uint64_t (*cost)(const Event&) = nullptr; // ns that a stage takes; added to now_ns after its event
    bool anon_zero_page = true;            // a read of untouched memory maps the zero page; some guests' kernels do without
    int paging_levels = 4;                 // of the machine; 5 with LA57
    bool observe = true;                   // announce stages and functions and keep the TLBs; off for a run that nobody looks at
    bool stop_at_stages = false;           // pause the thread at each stage
    bool pinned = false;                   // references were taken that nobody holds: counts may wrap
    bool quiet = false;                    // emit nothing: the kernel is being taken down
    std::deque<TaskId> woken;              // tasks made runnable since the engine last looked, in order

    void emit(Event e) {
        if (quiet) return;
        e.t_ns = now_ns;
        sink_.append(e);
    }
    void emit(EventKind k, TaskId task, PipeId pipe, std::uint32_t a = 0, std::uint32_t b = 0, std::uint32_t c = 0, std::uint64_t x = 0,
        std::uint64_t y = 0) {
        Event e;
        e.kind = k, e.task = task, e.pipe = pipe, e.a = a, e.b = b, e.c = c, e.x = x, e.y = y;
        emit(e);
    }
    // Announces a stage; `co_await` it, so that the engine may stop there.
    Pause stage(TaskId me, Stage st, PipeId pipe, StageArgs at = {}) {
        if (observe) announce(me, st, pipe, at);
        return Pause{!stop_at_stages};
    }
    // The same where no one can stop: inside functions that are not coroutines.
    void announce(TaskId me, Stage st, PipeId pipe, StageArgs at);

    class FnScope { // a kernel function is entered, and left at the end of the scope
    public:
        FnScope(KernelBase& k, TaskId me, Fn fn) : k_(k), me_(me) {
            if (k_.observe) k_.emit(EventKind::fn_enter, me, no_id, static_cast<std::uint32_t>(fn));
        }
        ~FnScope() {
            if (k_.observe) k_.emit(EventKind::fn_exit, me_, no_id);
        }
        FnScope(const FnScope&) = delete;
        FnScope& operator=(const FnScope&) = delete;

    private:
        KernelBase& k_;
        TaskId me_;
    };

private:
    EventSink& sink_;
};

} // namespace pipescope
