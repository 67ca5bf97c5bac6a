#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# --kernel: the same names everywhere, and one line with all of them for a name that is none.
source "$(dirname "${BASH_SOURCE[0]}")/checks.bash"

dirty=$source_dir/assets/scenarios/history/dirty_pipe.lua
one_slot=$source_dir/assets/scenarios/one_slot.lua

for kernel in 7.0 6.13 dirty-pipe 6.18+nonsense; do
  refused "--kernel $kernel" check "$dirty" --kernel "$kernel"
  refused "--kernel $kernel" step "$dirty" --kernel "$kernel"
  refused "--kernel $kernel" conform --ops 1 --kernel "$kernel"
  has_command shot && refused "--kernel $kernel" shot "$dirty" --kernel "$kernel" -o "$work/x.png"
  check "the line lists the names" grep -q '5.10, .*6.18.*vmsplice-copy.*+dirty-pipe' "$work/err"
done
for kernel in 6.1 6.18.44 5.15.24 6.14-rc3 vmsplice-copy 5.10+herd+one-slot; do
  works step "$one_slot" --kernel "$kernel"
done

works check "$dirty"
check "a scenario is on the kernel it names" printed '^ok .* on model as 5\.15\.24$'
works check "$dirty" --kernel 6.18
check "… unless another is asked for" printed '^ok .* on model$'
works step "$dirty"
check "the page of the file is written to" printed 'passwd\[0\]@0\+7'
works step "$dirty" --kernel 6.18
check "… and not on 6.18" printed 'k1@0\+6 M'
verdict
