// SPDX-License-Identifier: MIT
// Forked tasks, files, FIFOs and signals in scenarios: run side by side, refused where they must be, and gone afterwards.
#include "scenario_case.hpp"
#include <doctest/doctest.h>

using namespace scenario_test;

namespace {

std::unique_ptr<Scenario> played(const std::string& text) {
    std::string error;
    auto s = Scenario::load(CaseFile(text).path.string(), KernelVersion{}, error);
    REQUIRE_MESSAGE(s, error);
    while (s->pump(s->timeline().size() + 100)) REQUIRE(s->timeline().size() < 200'000);
    return s;
}

std::string message_of(const std::string& text) {
    const CaseResult r = check(text);
    return r.unreadable ? r.message : "passed";
}

} // namespace

TEST_CASE("fork: a child runs side by side with the others, and its end closes what it had") {
    const auto s = played(R"(
local p = pipe()
local child = fork(function()
    write(p.w, "from the child")
    print("child")
end)
local reader = task("reader", function()
    close(p.w)
    print(read(p.r, 100))
    print(read(p.r, 100))
end)
)");
    CHECK(s->error() == "");
    // The main program's end and the child's leave nobody who could write.
    std::vector<std::string> lines = s->printed();
    std::sort(lines.begin(), lines.end());
    CHECK(lines == std::vector<std::string>{"0", "14", "child"});
    const State& end = s->timeline().state();
    REQUIRE(end.tasks.size() == 3);
    CHECK(end.tasks[1].run == RunState::exited);
    CHECK(end.pipes[0].freed);
}

TEST_CASE("fork: a store in the child is not seen by the parent") {
    CHECK(message_of(R"(
local b = buffer("4K")
write_bytes(b, 0, "parent")
local t = fork(function() write_bytes(b, 0, "child!") return bytes(b, 0, 6) end)
expect(run(t), "child!")
expect(bytes(b, 0, 6), "parent")
)") == "passed");
}

TEST_CASE("signals: one that is sent while tasks run side by side ends a sleep") {
    const auto s = played(R"(
local p = pipe()
local sleeper = task("sleeper", function() print(read(p.r, 1), signals()) end)
local sender = task("sender", function()
    write(null(), "time passes")
    kill(sleeper, "SIGUSR1")
    print("sent")
end)
)");
    CHECK(s->error() == "");
    std::vector<std::string> lines = s->printed();
    std::sort(lines.begin(), lines.end());
    CHECK(lines == std::vector<std::string>{"EINTR\tSIGUSR1", "sent"});
}

TEST_CASE("objects: what cannot be is said with its reason") {
    CHECK(message_of("local t = task('t', function() fork(function() end) end)\nrun(t)") == "fork() is for the main chunk");
    CHECK(message_of("fork(print)").find("a function of the scenario") != std::string::npos);
    CHECK(message_of("local f = fifo()\nopen(f, 'x')") == "a FIFO is opened \"r\", \"w\" or \"rw\"");
    CHECK(message_of("open('/etc/passwd', 'r')").find("a FIFO expected") != std::string::npos);
    CHECK(message_of("file{size = '65M'}").find("64 MiB") != std::string::npos);
    CHECK(message_of("file{size = 1, path = '/etc/passwd'}") == "file has no option \"path\"");
    CHECK(message_of("for i = 1, 300 do file{size = 1} end") == "more than 256 files, FIFOs and epolls");
    CHECK(message_of("local b = buffer('4K')\nmprotect(b, 'exec')").find("none of the words") != std::string::npos);
    CHECK(message_of("local b = buffer('4K')\nmunmap(b:at(0, '4G'))") == "a range that goes far beyond the buffer");
    CHECK(message_of("local t = task('t', function() end)\nkill(t, 'SIGKILL')") == "SIGUSR1 and SIGUSR2 are the signals that can be sent");
    CHECK(message_of("expect(epoll(99, 'IN'), 'EBADF')\nexpect(epoll(null(), 'IN'), 'EPERM')") == "passed");
}

TEST_CASE("fork: on the live kernel a child that sleeps for good holds nobody up and does not stay") {
    const CaseFile file("local p = pipe()\nlocal t = fork(function() read(p.r, 1) end)\nexpect(run(t), 'blocked')\nprint('here')");
    const auto before = std::chrono::steady_clock::now();
    const CaseResult r = check_on_kernel(file.path.string());
    INFO(r.message);
    CHECK(r.status != CaseStatus::failed);
    CHECK(std::chrono::steady_clock::now() - before < std::chrono::seconds(10));
}

TEST_CASE("objects: model and live kernel number descriptors alike, in the parent and in a child") {
    const CaseFile file(R"(
local p, f, n = pipe(), file{size = 10}, null()
print(p.r, p.w, f, n)
local t = fork(function()
    local q = pipe{slots = 4}
    local b = buffer("8K")
    write_bytes(b, 0, ("a"):rep(8192))
    local z, d = zero(), dup(f)
    vmsplice(q.w, b)
    local e = epoll(q.r, "IN")
    print(q.r, q.w, z, d, epoll_wait(e), bytes(b, 8191, 1), fcntl(q.w, "F_GETPIPE_SZ"))
    write(p.w, ("y"):rep(5000))
end)
run(t)
print(fionread(p.r), zero())
expect(fionread(p.r), 5000)
)");
    const CaseResult model = check_on_model(file.path.string(), KernelVersion{}), kernel = check_on_kernel(file.path.string());
    INFO(model.message, kernel.message);
    CHECK(model.status == CaseStatus::passed);
    if (kernel.status == CaseStatus::skipped) return;
    CHECK(kernel.printed == model.printed);
    CHECK(kernel.results == model.results);
}
