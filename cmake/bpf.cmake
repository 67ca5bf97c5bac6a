# SPDX-License-Identifier: MIT
# The BPF capture: compiled by clang, made into a skeleton by bpftool, linked into the sim layer. (filled in by its owner)
