// SPDX-License-Identifier: MIT
// A recording made beside the window: this program again as a child, `record -- sh -c COMMAND`, and what it says on the way.
#pragma once
#include <string>
#include <string_view>
#include <sys/types.h>

namespace pipescope {

// What the lines of `record` told so far.
struct RecorderNews {
    std::string events, lost, bytes, written; // figures as it prints them; empty: none yet
    std::string tier;                         // "bpf", "syscalls"; known at the end, or when it is not the best one
    std::string why;                          // why no better tier was to be had
    std::string fault;                        // the last sentence it complained with
    // One line; `file` is the recording it is about. False for a line of the command itself.
    bool take(std::string_view line, const std::string& file);
};

class Recorder {
public:
    Recorder() = default;
    ~Recorder(); // asks a running one to stop, and leaves it to that
    Recorder(const Recorder&) = delete;
    Recorder& operator=(const Recorder&) = delete;

    // `tier`: auto, bpf or syscalls. `program` empty: this program. False with one sentence.
    bool start(const std::string& command, const std::string& tier, const std::string& file, std::string& error, const std::string& program = "");
    void poll(); // never blocks
    void stop(); // as Ctrl-C would; asked again it is killed, and what is written so far stays
    bool running() const { return pid_ > 0; }
    bool ended() const { return ended_; } // since start()
    int status() const { return status_; } // then; 128 and more for a signal
    const RecorderNews& news() const { return news_; }
    const std::string& file() const { return file_; }

private:
    void read_lines(bool last);
    pid_t pid_ = 0;
    int fd_ = -1, status_ = 0; // fd_: what it says; a file, for a pipe would be recorded with the others
    off_t read_ = 0;
    bool ended_ = false, asked_ = false;
    std::string file_, rest_;
    RecorderNews news_;
};

// The first of run-1.psc, run-2.psc … that is not there yet in the working directory.
std::string free_recording_name();

} // namespace pipescope
