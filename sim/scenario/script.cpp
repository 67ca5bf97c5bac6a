// SPDX-License-Identifier: MIT
// Loading a scenario, resuming its programs, and the limits that hold them.
#include "sim/scenario/script.hpp"
#include "sim/mix.hpp"
#include "sim/scenario/program_word.hpp"
#include <utility>
#include "core/describe.hpp"
#include "sim/scenario/lua_api.hpp"
#include <sys/stat.h>
#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>

namespace pipescope {
namespace {
constexpr int hook_interval = 1000;                      // instructions between two looks at the limits
constexpr std::size_t file_limit = std::size_t{4} << 20; // bytes of a scenario file
constexpr std::size_t task_limit = 256;
} // namespace

void* Script::allocate(void* self, void* block, std::size_t old_size, std::size_t new_size) {
    auto& s = *static_cast<Script*>(self);
    const std::size_t before = block ? old_size : 0; // without a block, old_size says what kind of object it is for
    if (new_size == 0) {
        std::free(block);
        s.used_ -= before;
        return nullptr;
    }
    // Giving memory back must never fail.
    if (s.enforcing_ && new_size > before && s.used_ - before + new_size > s.limits_.memory) return nullptr;
    void* const p = std::realloc(block, new_size);
    if (p) s.used_ += new_size - before;
    return p;
}

Script& Script::of(lua_State* L) { return **static_cast<Script**>(lua_getextraspace(L)); }

Script::Script(Backend& backend, const KernelVersion& kernel, ScriptLimits limits) : backend_(backend), kernel_(kernel), limits_(limits) {
    L_ = lua_newstate(allocate, this);
    if (!L_) throw std::bad_alloc();
    *static_cast<Script**>(lua_getextraspace(L_)) = this; // threads copy it
    open_sandbox(L_);
    open_objects(L_);
    open_memory(L_);
    open_files(L_);
    open_mbufs(L_);
    open_calls(L_);
    open_looking(L_);
    programs_.push_back({.name = "main"});
}

Script::~Script() { lua_close(L_); }

std::uint64_t Script::cpu_now() const {
    timespec t{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return static_cast<std::uint64_t>(t.tv_sec) * 1000 + static_cast<std::uint64_t>(t.tv_nsec) / 1'000'000;
}

bool Script::load(const std::string& path) {
    path_ = path;
    const auto unreadable = [&](const char* why) {
        stop_ = {ScriptStop::Kind::error, 0, why};
        return false;
    };
    errno = 0;
    const std::unique_ptr<std::FILE, int (*)(std::FILE*)> in(std::fopen(path.c_str(), "rb"), std::fclose);
    if (!in) return unreadable(std::strerror(errno));
    struct stat st{};
    if (fstat(fileno(in.get()), &st) == 0 && !S_ISREG(st.st_mode)) return unreadable(S_ISDIR(st.st_mode) ? std::strerror(EISDIR) : "not a regular file");
    std::string text;
    char block[4096];
    while (const std::size_t n = std::fread(block, 1, sizeof block, in.get())) {
        text.append(block, n);
        if (text.size() > file_limit) return unreadable("a scenario of more than 4 MiB");
    }
    if (std::ferror(in.get())) return unreadable(std::strerror(errno));
    if (text.empty()) return unreadable("is empty");
    return load_text(text, path);
}

bool Script::load_text(const std::string& text, const std::string& path) {
    path_ = path;
    source_ = text;
    if (text.compare(0, 1, LUA_SIGNATURE, 1) == 0) { // the interpreter trusts bytecode, which could crash it
        stop_ = {ScriptStop::Kind::error, 0, "a binary chunk; a scenario is text"};
        return false;
    }
    // Lua cuts long chunk names short, so it is given the last part of the path alone.
    chunk_ = path.substr(path.find_last_of('/') + 1).substr(0, 48);
    programs_[0].co = lua_newthread(L_);
    luaL_ref(L_, LUA_REGISTRYINDEX);
    const int status = luaL_loadbufferx(programs_[0].co, text.data(), text.size(), ("@" + chunk_).c_str(), "t");
    if (status == LUA_OK) return true;
    take_error(programs_[0].co, status);
    return false;
}

void Script::hook(lua_State* L, lua_Debug* ar) {
    Script& s = of(L);
    if (!s.doomed()) {
        s.budget_ -= std::min<std::uint64_t>(s.budget_, hook_interval);
        const bool late = s.cpu_now() > s.cpu_deadline_;
        if (s.budget_ && !late) return;
        lua_getinfo(L, "Sl", ar);
        s.enforce(false);
        s.doom(L, {ScriptStop::Kind::error, ar->currentline,
                      late ? "more than " + std::to_string(s.limits_.cpu_ms / 1000) + " s of computing without a system call"
                           : "more than " + std::to_string(s.limits_.instructions) + " instructions without a system call"});
        s.enforce(true);
    }
    lua_pushnil(L); // what went wrong is in stop_; the error only has to unwind
    lua_error(L);
}

void Script::doom(lua_State* L, ScriptStop why) {
    if (!doomed()) stop_ = std::move(why);
    lua_sethook(L, hook, LUA_MASKCOUNT, 1);
}

TaskId Script::add_program(lua_State* from, int function_index, const std::string& name, TaskId id, bool forked) {
    if (id != programs_.size()) throw ScriptError{"no more tasks"};
    Program p;
    p.name = name;
    p.forked = forked;
    p.co = lua_newthread(from);
    lua_pushvalue(from, function_index);
    lua_xmove(from, p.co, 1);
    luaL_ref(from, LUA_REGISTRYINDEX);
    lua_pushvalue(from, function_index);
    p.function = luaL_ref(from, LUA_REGISTRYINDEX);
    programs_.push_back(std::move(p));
    return id;
}

TaskId Script::add_task(lua_State* from, int function_index, const std::string& name, int cpu) {
    if (programs_.size() >= task_limit) throw ScriptError{"more than " + std::to_string(task_limit) + " tasks"};
    return add_program(from, function_index, name, backend_.task_new(name, cpu), false);
}

TaskId Script::add_fork(lua_State* from, int function_index, const std::string& name) {
    if (programs_.size() >= task_limit) throw ScriptError{"more than " + std::to_string(task_limit) + " tasks"};
    return add_program(from, function_index, name, backend_.fork_task(current_, name), true);
}

Script::Outcome Script::resume(TaskId t) {
    if (noting_) programs_[t].given = program_word(t); // what it can read of the others from here on
    Program& p = programs_[t];
    current_ = t;
    run_requested_ = false;
    call_ = {};
    budget_ = limits_.instructions;
    cpu_deadline_ = cpu_now() + limits_.cpu_ms;
    lua_sethook(p.co, hook, LUA_MASKCOUNT, doomed() ? 1 : hook_interval);
    const int answers = p.answers;
    lua_State* const co = p.co;
    p.answers = 0;
    int results = 0;
    enforcing_ = true;
    const int status = lua_resume(co, nullptr, answers, &results);
    enforcing_ = false; // `p` may be gone by now: the program may have made tasks
    if (doomed()) return Outcome::stopped;
    if (status == LUA_YIELD) {
        lua_pop(co, results);
        return run_requested_ ? Outcome::run : Outcome::call;
    }
    programs_[t].ended = true;
    if (status == LUA_OK) return Outcome::ended; // what it returned is on its stack
    take_error(co, status);
    return Outcome::stopped;
}

void Script::answer_call(TaskId t, const Call& c, long result) {
    const bool own = programs_[t].forked; // descriptors of its own
    if (!own && c.nr == Sys::close && result == 0) pipe_of_fd.erase(c.fd);
    if (!own && c.nr == Sys::dup && result >= 0 && pipe_of_fd.contains(c.fd)) pipe_of_fd[static_cast<int>(result)] = pipe_of_fd[c.fd];
    Program& p = programs_[t];
    if (noting_) p.given = mix(p.given, static_cast<std::uint64_t>(result));
    if (result < 0) push_string(p.co, errno_name(static_cast<int>(-result)));
    else if (c.nr == Sys::poll) push_string(p.co, poll_string(static_cast<std::uint32_t>(result)));
    else lua_pushinteger(p.co, result);
    p.answers = 1;
}

void Script::answer_text(TaskId t, const char* text) {
    lua_pushstring(programs_[t].co, text);
    programs_[t].answers = 1;
}

void Script::given(lua_State* L, int results) {
    for (int i = -results; noting_ && i < 0; ++i) programs_[current_].given = mix(programs_[current_].given, value_word(L, i));
}

std::uint64_t Script::program_word(TaskId t) const {
    const Program& p = programs_[t];
    if (p.function < 0) return p.given;
    lua_rawgeti(L_, LUA_REGISTRYINDEX, p.function);
    const std::uint64_t shared = value_word(L_, -1);
    lua_pop(L_, 1);
    return mix(p.given, shared);
}

std::string Script::result_text(TaskId t) const {
    lua_State* const co = programs_[t].co;
    return lua_gettop(co) && !lua_isnil(co, 1) ? text_of(co, 1, false) : "";
}

TaskId Script::begin_outcome() {
    const TaskId t = std::exchange(outcome_due_, no_id);
    if (t != no_id) backend_.hold(t, false);
    return t;
}

void Script::answer_ended(TaskId t, TaskId ended) {
    lua_State* const from = programs_[ended].co;
    lua_State* const to = programs_[t].co;
    const int n = lua_gettop(from);
    lua_checkstack(to, n);
    lua_xmove(from, to, n);
    programs_[t].answers = n;
}

// Takes the message apart again: "file:12: text" when Lua put a position in front, else the innermost line that is known.
void Script::take_error(lua_State* co, int status) {
    ScriptStop why{ScriptStop::Kind::error, 0, ""};
    if (status == LUA_ERRMEM) why.message = "more than " + std::to_string(limits_.memory >> 20) + " MiB of memory";
    else if (lua_type(co, -1) == LUA_TSTRING) why.message = lua_tostring(co, -1);
    else why.message = "an error that is no text but a " + std::string(luaL_typename(co, -1));
    const std::string prefix = chunk_ + ":";
    if (why.message.compare(0, prefix.size(), prefix) == 0) {
        char* end = nullptr;
        const long line = std::strtol(why.message.c_str() + prefix.size(), &end, 10);
        if (*end == ':') {
            why.line = static_cast<int>(line);
            const auto colon = static_cast<std::size_t>(end - why.message.c_str());
            why.message.erase(0, why.message.find_first_not_of(' ', colon + 1));
        }
    }
    if (!why.line) why.line = current_line(co);
    stop_ = std::move(why);
}

std::string Script::stop_text() const {
    std::string out = path_ + ":";
    if (stop_.line) out += std::to_string(stop_.line) + ":";
    return out + " " + stop_.message;
}

} // namespace pipescope
