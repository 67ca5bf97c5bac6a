#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# PIPESCOPE_KILLS times (8), by each capture:
# A recorder that is killed at any moment: what it recorded goes on and comes to the right end, and its file can be opened.
source "$(dirname "${BASH_SOURCE[0]}")/checks.bash"

kills=${PIPESCOPE_KILLS:-8}
pipeline="seq 1 3000000 | cat | sha256sum >'$work/sum.part'; mv '$work/sum.part' '$work/sum'"
right=$(seq 1 3000000 | sha256sum)
sum_is_right() { [ "$(cat "$work/sum" 2>/dev/null)" = "$right" ]; }

killed_at_random() { # CAPTURE
  local capture=$1 done=0 before=0 pid
  while [ "$done" -lt "$kills" ] && [ "$before" -lt $((kills * 3 + 20)) ]; do
    rm -f "$work/sum" "$work/run.psc"
    "$pipescope" record --capture "$capture" -o "$work/run.psc" -- sh -c "$pipeline" >/dev/null 2>&1 &
    pid=$!
    for _ in $(seq 200); do # until there is something to kill
      [ -e "$work/run.psc" ] && break
      kill -0 "$pid" 2>/dev/null || break
      sleep 0.01
    done
    sleep "0.$(printf %03d $((RANDOM % 400)))"
    if ! kill -KILL "$pid" 2>/dev/null; then
      before=$((before + 1)) # it was done already
      wait "$pid" 2>/dev/null
      continue
    fi
    wait "$pid" 2>/dev/null
    for _ in $(seq 1000); do
      [ -e "$work/sum" ] && break
      sleep 0.02
    done
    check "killed recorder ($capture), number $done: the pipeline comes to its right end" sum_is_right
    works info "$work/run.psc"
    check "… and its recording says that it is cut off" printed '^ +cut off: '
    done=$((done + 1))
  done
  check "a recorder ($capture) was killed $kills times while it recorded, not $done" test "$done" = "$kills"
}

killed_at_random syscalls
run "$pipescope" record --capture bpf -o "$work/bpf.psc" -- true
if [ "$status" = 0 ]; then killed_at_random bpf; else printf 'skipped, no BPF here: %s\n' "$(cat "$work/err")"; fi

verdict
