// SPDX-License-Identifier: MIT
// The whole window without its platform: a document, where one is in it, and the views; one frame() an ImGui frame.
#pragma once
#include "app/gui/fonts.hpp"
#include "app/gui/marks.hpp"
#include "app/gui/scene.hpp"
#include "app/gui/view_mbufs.hpp"
#include "app/gui/view_memory.hpp"
#include "app/gui/view_record.hpp"
#include "app/gui/view_ring.hpp"
#include "app/gui/view_toolbar.hpp"
#include "app/gui/view_when.hpp"
#include "app/gui/view_who.hpp"
#include "app/gui/view_why.hpp"
#include "app/ring_pairs.hpp"
#include <memory>

namespace pipescope {

struct ScreenOptions {
    float scale = 1;
    bool dark = true;
    bool still = false; // nothing moves by itself: for pictures
};

class Screen {
public:
    Screen(std::unique_ptr<Document> document, const ScreenOptions& options);
    void frame(); // between ImGui::NewFrame and ImGui::Render
    void command(Command c);
    void seek(std::size_t n) { transport_.seek(*document_, n); }
    // Runs the scenario under another kernel version, and compares with the one before; false with one line in `error`.
    bool run_under(const std::string& version, std::string& error);
    // Runs it under another version beside this one, only to compare.
    bool compare_with(const std::string& version, std::string& error);
    // Who could go next at the position, as far as that can differ; a second time it is put away.
    void ask_next();
    // Runs the scenario again up to the position, and gives the next turn to `task`.
    bool branch_to(TaskId task, std::string& error);
    void back_to_trunk();
    void type_address(const std::string& text); // as if it had been typed into the page walk
    const Comparison* comparison() const { return comparison_ ? &*comparison_ : nullptr; }
    // The scenario call by call on this kernel too, from its beginning, in place of what is shown: no call is made yet.
    bool run_in_step(std::string& error);
    void finish_in_step(); // makes all of them, and goes to where the two part
    bool open_file(const std::string& path, std::string& error); // in place of what is shown
    RecordView& record() { return record_; }
    const std::vector<Parting>& partings() const { return partings_; }
    const RunFindings& findings() const { return findings_; }
    bool fonts_wanted() const { return fonts_.scale != options_.scale; }
    void build_fonts();                    // outside a frame; the platform then uploads the atlas
    bool moves() const { return motion_ < 1 || busy(); } // a copy, or work beside the window, is still on its way
    double wait_seconds(double now) const; // how long nothing will change by itself

    Document& document() { return *document_; }
    const Transport& transport() const { return transport_; }
    const State& state() { return document_->timeline().seek(transport_.position()); }
    const Marks& marks() const { return marks_; }
    Selection& selection() { return selection_; }
    const ScreenOptions& options() const { return options_; }

private:
    Scene make_scene(const State& s);
    void draw_views(Scene& scene, Paint& p, const Regions& r);
    bool busy() const { return document_->waiting() || record_.running() || looking_; }
    void look_for_findings();
    void follow_in_step();
    void draw_fault(Paint& p, const Regions& r);
    std::unique_ptr<Document> again(const KernelVersion& v, Schedule schedule, std::string& error) const;
    void show(std::unique_ptr<Document>& next); // in place of the document, which is in `next` then
    void take_wishes();
    std::unique_ptr<Document> document_;
    std::unique_ptr<Document> trunk_; // while a branch is shown
    std::size_t trunk_n_ = 0;         // where the first one left it
    Crossroads crossroads_;
    std::optional<Comparison> comparison_;
    std::string notice_; // why a version could not be run
    ScreenOptions options_;
    Transport transport_;
    Selection selection_;
    Fonts fonts_;
    Marks marks_;
    Lanes lanes_;
    RunFindings findings_;
    std::vector<Parting> partings_;
    RingPairs pairs_;
    std::size_t steps_seen_ = 0; // of a run in step: what partings_, pairs_ and the comparison are of
    bool looking_ = false; // the findings are not all there yet
    RecordView record_;
    PageNames pages_;
    std::size_t named_at_ = ~std::size_t{0};
    bool fault_closed_ = false;
    std::size_t moved_n_ = ~std::size_t{0}; // the position last drawn
    double moved_at_ = 0;                   // when it became that, seconds
    float motion_ = 1;
    ToolbarView toolbar_;
    WhoView who_;
    RingView ring_;
    MbufView mbufs_;
    MemoryView memory_;
    WhyView why_;
    WhenView when_;
};

} // namespace pipescope
