// SPDX-License-Identifier: MIT
// What WHY looks at: the page or the address that was chosen by hand, or what the moment is about.
#pragma once
#include "app/gui/scene.hpp"

namespace pipescope {

struct Subject {
    std::string title; // "src, page 27"
    MmId mm = no_id;   // with an address to walk to; no_id: there is none
    std::uint64_t addr = 0;
    PageId page = no_page; // the frame, where there is one
    bool chosen = false;   // by hand; otherwise it follows the run
    std::string no_walk;   // why there is no address
};
Subject subject_of(const Scene& scene);

// A click on a page, and on a page of a buffer, mapped or not.
void select_page(Scene& scene, PageId page);
void select_place(Scene& scene, MmId mm, std::uint64_t addr, PageId page);
void select_nothing(Selection& sel);

} // namespace pipescope
