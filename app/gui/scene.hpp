// SPDX-License-Identifier: MIT
// What a view is given: the state it shows, what is known around it, and the selection it may change.
#pragma once
#include "app/compare.hpp"
#include "app/document.hpp"
#include "app/findings_rows.hpp"
#include "app/focus.hpp"
#include "app/lanes.hpp"
#include "app/layout.hpp"
#include "app/transport.hpp"
#include "sim/narrate.hpp"
#include <optional>

namespace pipescope {

// What a person can ask for by a key or a button; done when the frame is over, for views only read.
enum class Command { first, back, play, forward, last, finer, coarser, by_event, by_stage, by_call, choose, larger, smaller, theme, close, in_step, record };

// The tabs of WHY. A narrow window has what stands in the middle as tabs too.
enum class Tab { events, findings, locks, ledger, costs, ladder, walk, page, versions, count };
enum class Middle { ring, memory, why };

struct Place { // user memory
    MmId mm = no_id;
    std::uint64_t addr = 0;
};

struct Selection {
    TaskId task = no_id;                // a card that was opened by hand
    PipeId pipe = no_id;                // a pipe that was chosen by hand; otherwise the view follows the run
    PageId page = no_page;              // a page that was clicked
    std::optional<Place> place;         // memory that was clicked, or whose address was typed
    std::string address, address_fault; // what was typed, and why it is no address
    Tab tab = Tab::events;              // of WHY
    Middle middle = Middle::ring;       // in a narrow window
    bool by_event = false;              // the axis of WHEN
    std::string profile, profile_typed, profile_fault; // of the ladder: the path of the one chosen, what was typed, and why that is none
    std::optional<std::size_t> seek;    // where a view wants to go
    std::optional<Command> command;     // what one of its buttons asks for
    std::optional<TaskId> branch;       // who is to go next from here on
    bool trunk = false;                 // back to the run that nobody chose in
    std::string kernel, against;        // a kernel version to run under, or to compare with; empty: none is asked for
};

struct Crossroads { // who could go next, where somebody asked for it
    bool open = false;
    std::size_t at = 0;        // the position
    std::vector<TaskId> tasks; // who could
    TaskId next = no_id;       // who does, as the run goes
};

struct RingPair;

struct Scene {
    const State& s;
    const Timeline& timeline;
    Document& doc;
    const StringTable& names;
    const PageNames& pages;
    const Lanes& lanes;
    const Transport& transport;
    Selection& sel;
    Focus focus;
    std::size_t n = 0;
    bool narrow = false;                 // WHY shares the middle with WHAT
    const Comparison* against = nullptr; // the same scenario under another kernel version, or the trunk of a branch
    const Crossroads* crossroads = nullptr;
    float motion = 1;                    // how far the copy of this moment has got, on the screen: 1 at rest
    const RunFindings* findings = nullptr;
    const std::vector<Parting>* partings = nullptr; // of the model and the kernel
    const std::vector<RingPair>* pairs = nullptr;   // of a run in lock step
    bool branch = false;                 // somebody chose who goes next; there is a trunk to go back to

    std::string page(PageId p) const { return pages.label(s, names, p); }
    bool mbufs() const;  // the run is at mbufs: they are shown in place of a ring
    PipeId pipe() const; // the one shown: chosen, or the one the run is at
    // Who has the mutex: "writer", "free", or that nobody knows.
    std::string mutex_owner(const Pipe& p) const;
};

} // namespace pipescope
