// SPDX-License-Identifier: MIT
// The one place that includes Dear ImGui, and evens out what changed between 1.86 and 1.91.
#pragma once
#include <imgui.h>
#include <imgui_internal.h>

namespace pipescope {

#if IMGUI_VERSION_NUM >= 19010
inline bool child_begin(const char* id, ImVec2 size, ImGuiWindowFlags flags) { return ImGui::BeginChild(id, size, ImGuiChildFlags_None, flags); }
#else
inline bool child_begin(const char* id, ImVec2 size, ImGuiWindowFlags flags) { return ImGui::BeginChild(id, size, false, flags); }
#endif

} // namespace pipescope
