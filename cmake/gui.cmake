# SPDX-License-Identifier: MIT
# The window: Dear ImGui from the distribution, GLFW for the desktop, EGL for pictures without one.
find_package(glfw3 REQUIRED)
pkg_check_modules(imgui REQUIRED IMPORTED_TARGET imgui)
pkg_check_modules(epoxy REQUIRED IMPORTED_TARGET epoxy)
pkg_check_modules(egl REQUIRED IMPORTED_TARGET egl)
pkg_check_modules(freetype REQUIRED IMPORTED_TARGET freetype2)
pkg_check_modules(stb REQUIRED IMPORTED_TARGET stb)

file(GLOB gui_sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/../app/gui/*.cpp)
add_library(pipescope_gui STATIC ${gui_sources})
target_compile_definitions(pipescope_gui PUBLIC PIPESCOPE_GUI=1)
# Their headers are not held to our warnings.
target_include_directories(pipescope_gui SYSTEM PUBLIC ${imgui_INCLUDE_DIRS} ${stb_INCLUDE_DIRS})
target_link_libraries(pipescope_gui PUBLIC pipescope_app PkgConfig::imgui glfw PkgConfig::epoxy PkgConfig::egl PkgConfig::freetype PkgConfig::stb)
