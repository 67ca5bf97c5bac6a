// SPDX-License-Identifier: MIT
// A scenario file as sandboxed Lua programs, one a task, that are resumed until they ask for something.
#pragma once
#include "core/call.hpp"
#include "core/version.hpp"
#include "sim/backend.hpp"
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

struct lua_State;
struct lua_Debug;

namespace pipescope {

struct ScriptLimits {
    std::uint64_t instructions = 20'000'000; // of the Lua machine, between two system calls
    std::uint64_t cpu_ms = 10'000;           // for library functions that do much in one instruction
    std::size_t memory = std::size_t{64} << 20;
};

// Why a program stopped that did not end by itself.
struct ScriptStop {
    enum class Kind { none, error, expectation, skip, other_kernel } kind = Kind::none;
    int line = 0;
    std::string message; // without file and line
};

class Script {
public:
    enum class Outcome { call, run, ended, stopped }; // what a resumed program came back with

    // `kernel` is what it runs on.
    Script(Backend& backend, const KernelVersion& kernel, ScriptLimits limits = {});
    ~Script();
    Script(const Script&) = delete;
    Script& operator=(const Script&) = delete;

    // Reads and compiles the main chunk, the program of task 0; false with stop() set.
    bool load(const std::string& path);
    bool load_text(const std::string& text, const std::string& path);

    Outcome resume(TaskId t);
    const Call& call() const { return call_; }        // after Outcome::call; after Outcome::run its line alone counts
    TaskId run_target() const { return run_target_; } // after Outcome::run
    Stage run_until() const { return run_until_; }    // after Outcome::run: none, or where it is to stop
    // After a stop for another kernel: the one that the scenario is about, where nobody has asked for one.
    const std::optional<KernelVersion>& wanted_kernel() const { return wanted_kernel_; }
    // What the next resume() delivers: a call's result; what run() gives for a task that sleeps, or that has ended.
    void answer_call(TaskId t, const Call& c, long result);
    void answer_blocked(TaskId t) { answer_text(t, "blocked"); }
    void answer_text(TaskId t, const char* text);
    void answer_ended(TaskId t, TaskId ended);

    bool ended(TaskId t) const { return programs_[t].ended; }
    std::size_t tasks() const { return programs_.size(); }
    const std::string& task_name(TaskId t) const { return programs_[t].name; }
    bool called_run() const { return called_run_; }
    // What decides how a program goes on, as a word: what it was given so far, and the variables it shares with others.
    std::uint64_t program_word(TaskId t) const;
    void take_note() { noting_ = true; } // of what programs are given; costs time, so program_word() has to be wanted
    void given(lua_State* L, int results); // by an API function, to the current program
    std::string result_text(TaskId t) const; // what the program of an ended task returned first; empty for nothing
    // The function given to outcome() becomes one more task, once the others have ended or sleep for good; no_id: none was.
    TaskId begin_outcome();
    TaskId outcome() const { return outcome_; } // that task, held back until then; no_id: there is none
    void set_outcome(TaskId t) { outcome_ = outcome_due_ = t; }

    const ScriptStop& stop() const { return stop_; }
    std::string stop_text() const; // "file:line: message"
    int expectations = 0, skipped = 0, first_skipped_line = 0;
    std::string unknown_reason = "not permitted here"; // why the back end leaves a question unanswered
    std::string title, watch, question;
    std::vector<std::string> printed;
    const std::string& path() const { return path_; }
    const std::string& source() const { return source_; }

    // For the API functions.
    static Script& of(lua_State* L);
    Backend& backend() { return backend_; }
    TaskId current() const { return current_; }
    const KernelVersion& kernel() const { return kernel_; }
    void want_kernel(KernelVersion v) { wanted_kernel_ = std::move(v); }
    void request_call(Call c) { call_ = std::move(c); }
    void request_run(TaskId t, Stage until, std::uint32_t line) {
        run_target_ = t, run_until_ = until, call_.line = line, run_requested_ = called_run_ = true;
    }
    TaskId add_task(lua_State* from, int function_index, const std::string& name, int cpu);
    TaskId add_fork(lua_State* from, int function_index, const std::string& name); // a process of its own
    bool forked(TaskId t) const { return programs_[t].forked; }
    // Ends the whole script: from here on every instruction fails, so that no pcall can hold it up.
    void doom(lua_State* L, ScriptStop why);
    bool doomed() const { return stop_.kind != ScriptStop::Kind::none; }
    void enforce(bool on) { enforcing_ = on; }
    std::uint64_t memory_asked = 0; // bytes of all buffers
    int pipes = 0, buffers = 0, files = 0, forks = 0;
    std::map<int, int> pipe_of_fd; // which pipe a descriptor of the main process is an end of, while it is open

private:
    struct Program {
        lua_State* co = nullptr;
        std::string name;
        int function = -1; // in Lua's registry; the main chunk has none
        std::uint64_t given = 0;
        int answers = 0; // values on its stack that resume() delivers
        bool ended = false, forked = false;
    };
    static void* allocate(void* self, void* block, std::size_t old_size, std::size_t new_size);
    static void hook(lua_State* L, lua_Debug* ar);
    void open();
    TaskId add_program(lua_State* from, int function_index, const std::string& name, TaskId id, bool forked);
    void take_error(lua_State* co, int status);
    std::uint64_t cpu_now() const;

    Backend& backend_;
    KernelVersion kernel_;
    std::optional<KernelVersion> wanted_kernel_;
    ScriptLimits limits_;
    lua_State* L_ = nullptr;
    std::string path_, chunk_, source_;
    std::vector<Program> programs_;
    TaskId current_ = 0, run_target_ = no_id;
    Stage run_until_ = Stage::none;
    Call call_;
    TaskId outcome_ = no_id, outcome_due_ = no_id;
    bool noting_ = false;
    bool run_requested_ = false, called_run_ = false, enforcing_ = false;
    std::uint64_t budget_ = 0, cpu_deadline_ = 0;
    std::size_t used_ = 0;
    ScriptStop stop_;
};

} // namespace pipescope
