// SPDX-License-Identifier: MIT
// The dialog that records a command: what, how, how far it has got, and stop.
#pragma once
#include "app/gui/paint.hpp"
#include "app/recorder.hpp"

namespace pipescope {

class RecordView {
public:
    void open();
    void close() { open_ = false; }
    bool running() const { return recorder_.running(); }
    // Above all else. Gives the file of a recording that has just ended and can be opened, once.
    std::string draw(Paint& p, float width, float height);
    void refuse(const std::string& why) { fault_ = why; } // what the file turned out to be
    std::string command = "yes | head -c 10M > /dev/null", file, tier = "auto"; // what is asked for

private:
    void draw_form(Paint& p, const Rect& at);
    float draw_news(Paint& p, const Rect& at);
    Recorder recorder_;
    std::string fault_;
    bool open_ = false, shown_ = false;
};

} // namespace pipescope
