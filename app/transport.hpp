// SPDX-License-Identifier: MIT
// Where in the run one stands, and the commands that move: first, back, play, forward, last, and a seek.
#pragma once
#include "app/document.hpp"

namespace pipescope {

class Transport {
public:
    std::size_t position() const { return n_; }
    Step step() const { return step_; }
    bool playing() const { return playing_; }
    void set_step(Step s) { step_ = s; }
    void seek(Document& d, std::size_t n);
    void first(Document& d) { playing_ = false, seek(d, 0); }
    void back(Document& d);
    void forward(Document& d);
    void last(Document& d);
    void toggle_play(double now) { playing_ = !playing_, due_ = now; }
    // Steps on when it is time; true when it moved.
    bool advance(Document& d, double now);
    double due() const { return due_; } // when the next step of a playing run comes, seconds

private:
    std::size_t n_ = 0;
    Step step_ = Step::stage;
    bool playing_ = false;
    double due_ = 0;
};
const char* step_name(Step s); // "by stage"

} // namespace pipescope
