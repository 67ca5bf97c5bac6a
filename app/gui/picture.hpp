// SPDX-License-Identifier: MIT
// A picture of the window without a display: EGL without a surface, drawn into a frame buffer object.
#pragma once
#include "app/gui/screen.hpp"
#include <string>
#include <vector>

namespace pipescope {

struct PictureOptions {
    int width = 1600, height = 1000;
    ScreenOptions screen;
    std::size_t at = ~std::size_t{0}; // position, or where the document opens
    std::optional<Tab> tab;           // of WHY
    std::optional<Middle> middle;     // of a narrow window
    std::string address, against;     // typed into the page walk; a version to compare with
    std::string profile;              // typed into the ladder: the path of one
    Schedule branch;                  // choices of who goes next, made one after another
    bool record = false, in_step = false; // the dialog that records; call by call on this kernel too
    bool choose = false;              // asks who could go next at the position
};
// Writes a PNG; false with one sentence in `error`.
bool picture_write(std::unique_ptr<Document> document, const PictureOptions& options, const std::string& path, std::string& error);

} // namespace pipescope
