// SPDX-License-Identifier: MIT
// Coroutines for kernel functions: a chain of frames that one loop resumes, so that any stage can stop and go on later.
#pragma once
#include <coroutine>
#include <cstddef>
#include <exception>
#include <utility>

namespace pipescope {

// One task's way through the kernel. `leaf` is the innermost function; run() resumes it until `paused` is set or the
// outermost function has returned. A loop and not symmetric transfer: unoptimised builds would overflow the stack.
struct Thread {
    std::coroutine_handle<> leaf;
    bool paused = false;

    bool done() const { return !leaf; }
    void run() {
        paused = false;
        while (leaf && !paused) leaf.resume();
    }
};

// Frames come from free lists by size: a call costs no malloc once the lists are warm.
void* frame_alloc(std::size_t bytes);
void frame_free(void* p, std::size_t bytes);

struct CoPromiseBase {
    Thread* thread = nullptr;
    std::coroutine_handle<> parent;

    static void* operator new(std::size_t n) { return frame_alloc(n); }
    static void operator delete(void* p, std::size_t n) { frame_free(p, n); }
    std::suspend_always initial_suspend() noexcept { return {}; }
    struct Final {
        bool await_ready() noexcept { return false; }
        template <class P> void await_suspend(std::coroutine_handle<P> h) noexcept { h.promise().thread->leaf = h.promise().parent; }
        void await_resume() noexcept {}
    };
    Final final_suspend() noexcept { return {}; }
    void unhandled_exception() noexcept { std::terminate(); }
};

template <class T> class [[nodiscard]] Co {
public:
    struct promise_type : CoPromiseBase {
        T value{};
        Co get_return_object() { return Co(std::coroutine_handle<promise_type>::from_promise(*this)); }
        void return_value(T v) noexcept { value = v; }
    };
    Co() = default;
    explicit Co(std::coroutine_handle<promise_type> h) : h_(h) {}
    Co(Co&& o) noexcept : h_(std::exchange(o.h_, {})) {}
    Co& operator=(Co&& o) noexcept {
        if (this != &o) {
            if (h_) h_.destroy();
            h_ = std::exchange(o.h_, {});
        }
        return *this;
    }
    ~Co() {
        if (h_) h_.destroy();
    }
    void start(Thread& t) { // as the outermost function of t
        h_.promise().thread = &t;
        t.leaf = h_;
    }
    T result() const { return h_.promise().value; }

    bool await_ready() const noexcept { return false; }
    template <class P> void await_suspend(std::coroutine_handle<P> caller) noexcept {
        h_.promise().thread = caller.promise().thread;
        h_.promise().parent = caller;
        h_.promise().thread->leaf = h_;
    }
    T await_resume() const noexcept { return h_.promise().value; }

private:
    std::coroutine_handle<promise_type> h_;
};

// co_await Pause{}: stops the thread here; whoever runs it decides when it goes on.
struct Pause {
    bool ready = false; // true: do not stop after all
    bool await_ready() const noexcept { return ready; }
    template <class P> void await_suspend(std::coroutine_handle<P> h) noexcept { h.promise().thread->paused = true; }
    void await_resume() const noexcept {}
};

} // namespace pipescope
