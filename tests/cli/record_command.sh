#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Recording other people's programs: by BPF and without privileges, started or attached to, and what goes wrong.
source "$(dirname "${BASH_SOURCE[0]}")/checks.bash"

rec=$work/run.psc
exit_is() { [ "$status" = "$1" ]; }
info_of() { "$pipescope" info --json "${1:-$rec}" >"$work/info" 2>/dev/null; }
field() { sed -nE "s/^  \"$1\": ([^,]*),?$/\1/p" "$work/info"; }
same_text() { [ "$(cat "$1")" = "$2" ]; }

by() { # CAPTURE [COMMAND-PREFIX…]: the same commands by each capture
  local capture=$1
  shift
  local record=("$@" "$pipescope" record --capture "$capture" -o "$rec" --)
  run "${record[@]}" sh -c 'seq 1 20000 | cat | tail -n 1; exit 7'
  check "$capture: the exit status is the command's" exit_is 7
  check "$capture: its output is its own" same_text "$work/out" 20000
  info_of
  check "$capture: the recording says how it was made" grep -qE "\"capture\": \"$capture(\\+fentry)?\"" "$work/info"
  check "$capture: all bytes of both pipes" test "$(field bytes)" -ge 217788
  for name in seq cat tail; do check "$capture: $name is a task" grep -q "\"name\": \"$name\"" "$work/info"; done
  check "$capture: nothing was lost" test "$(field lost)" = 0
  check "$capture: every event fits what came before it" test "$(field refused)" = 0
  run "${record[@]}" sh -c 'kill -TERM $$'
  check "$capture: a command that a signal ends gives 128 and the signal" exit_is 143
  run "${record[@]}" sh -c 'yes | head -c 300000 | tee /dev/null | wc -c; (sleep 0.1; echo child) & wait'
  check "$capture: forks and threads are followed" exit_is 0
  run "${record[@]}" nosuchcommand
  check "$capture: a command that does not exist is refused in one line" refused_for nosuchcommand
  run "${record[@]}" "$work"
  check "$capture: so is one that cannot be run" refused_for "$work"
  printf '#!/no/such/interpreter\n' >"$work/script"
  chmod +x "$work/script"
  run "${record[@]}" "$work/script"
  check "$capture: and one that turns out not to be one" exit_is 2
  run "$@" "$pipescope" record --capture "$capture" -o /dev/full -- true
  check "$capture: a full disk is told in one line" refused_for /dev/full

  # A running process: recorded until Ctrl-C, then as it was.
  "$@" sh -c 'while echo line; do sleep 0.02; done | cat >/dev/null' &
  local shell=$! pid=
  for _ in $(seq 100); do
    pid=$(pgrep -P "$shell" -x cat || true)
    [ -n "$pid" ] && break
    sleep 0.02
  done
  rm -f "$rec"
  "$@" "$pipescope" record --capture "$capture" -o "$rec" --pid "${pid:-0}" >"$work/out" 2>"$work/err" &
  local recorder=$!
  for _ in $(seq 500); do # until it records
    [ -s "$rec" ] && break
    sleep 0.02
  done
  sleep 1
  kill -INT "$recorder"
  status=0
  wait "$recorder" || status=$?
  check "$capture: --pid ends with Ctrl-C and status 0" exit_is 0
  check "$capture: what was attached to goes on" kill -0 "${pid:-999999}"
  info_of
  check "$capture: its reads were seen" test "$(field bytes)" -gt 0
  pkill -P "$shell" 2>/dev/null
  kill "$shell" 2>/dev/null
  wait "$shell" 2>/dev/null
  while kill -0 "${pid:-999999}" 2>/dev/null; do sleep 0.02; done
  run "$@" "$pipescope" record --capture "$capture" -o "$rec" --pid "${pid:-999999}"
  check "$capture: a process that is gone is refused in one line" refused_for "${pid:-999999}"
}

by syscalls
run "$pipescope" record --capture bpf -o "$rec" -- true
if [ "$status" = 0 ]; then
  by bpf
  run "$pipescope" record --sample 100 -o "$rec" -- sh -c 'head -c 4194304 /dev/zero | cat >/dev/null'
  check "--sample: the command's exit status" exit_is 0
  check "--sample counts every byte" grep -qF '4.00 MiB in' "$work/err"
  run "$pipescope" record --ring-buffer 4096 -o "$rec" -- sh -c 'yes | head -c 4000000 | wc -c'
  check "a ring buffer that is too small does not disturb the command" same_text "$work/out" 4000000
  info_of
  check "… and what it lost is counted" test "$(field lost)" -gt 0
  check "… and what it kept can be read" test "$(field events)" -gt 0
  PIPESCOPE_BTF=/no/such/file run "$pipescope" record --capture bpf -o "$rec" -- true
  check "a kernel without type information is told in one line" refused_for /no/such/file
  PIPESCOPE_BTF=/no/such/file run "$pipescope" record -o "$rec" -- sh -c 'echo x | cat'
  check "… and recorded without" exit_is 0
  check "… for a reason that is named" grep -qF /no/such/file "$work/err"
else
  printf 'skipped, no BPF here: %s\n' "$(cat "$work/err")"
fi
run "$pipescope" record --pid 1 -- true
check "a command and --pid exclude each other" refused_for --pid

if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null; then
  chmod 755 "$work"
  cp "$pipescope" "$work/pipescope"
  own=$pipescope pipescope=$work/pipescope rec=$work/open/run.psc
  mkdir -m 777 "$work/open"
  nobody=(setpriv --reuid 65534 --regid 65534 --clear-groups --inh-caps=-all)
  by syscalls "${nobody[@]}"
  run "${nobody[@]}" "$pipescope" record -o "$rec" -- sh -c 'echo x | cat'
  check "without privileges the command is recorded all the same" exit_is 0
  check "… and why not better is said" grep -qF CAP_BPF "$work/err"
  run "${nobody[@]}" "$pipescope" record -o "$rec" --pid 1
  check "a process that is not one's own is refused in one line" refused_for "process 1 "
  run "${nobody[@]}" "$pipescope" record --capture bpf -o "$rec" -- true
  check "--capture bpf without privileges is refused in one line" refused_for CAP_BPF
  pipescope=$own
fi

# A disk that fills up on the way: the command comes to its end, and what was written can be read.
mkdir "$work/small"
if mount -t tmpfs -o size=32k none "$work/small" 2>/dev/null; then
  rec=$work/small/run.psc
  run "$pipescope" record -o "$rec" -- sh -c 'od -An -tx1 -v /dev/urandom | head -c 6000000 | dd bs=77 2>/dev/null | wc -c >&2; sleep 2'
  check "a disk that fills up: status 2" exit_is 2
  check "… one sentence about it, besides what the command said" test "$(grep -cF "$rec" "$work/err")" = 1
  check "… the command came to its end" grep -qx 6000000 "$work/err"
  info_of "$rec"
  check "… and there is something in the file" test "$(field events)" -gt 100
  umount "$work/small"
else
  printf 'skipped, a full disk: no tmpfs can be mounted\n'
fi

verdict
