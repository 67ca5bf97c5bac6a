# SPDX-License-Identifier: MIT
# The window: Dear ImGui from the distribution, GLFW for the desktop, EGL for pictures without one.
