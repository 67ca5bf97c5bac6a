# SPDX-License-Identifier: MIT
# What the shell tests share: sourced, with the program as the first argument.
# shellcheck disable=SC2034 # some of this is for the scripts that source it
set -u
pipescope=$(realpath -- "$1")
source_dir=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
unset DISPLAY WAYLAND_DISPLAY
passed=0 failed=0

# run COMMAND…: sets status, and leaves what it printed in $work/out and $work/err. A command that hangs is a failed one.
run() {
  status=0
  timeout --kill-after=5 120 "$@" >"$work/out" 2>"$work/err" </dev/null || status=$?
}

pass() { passed=$((passed + 1)); }
fail() { # TEXT
  failed=$((failed + 1))
  printf 'FAILED: %s (exit status %s)\n' "$1" "$status"
  head -c 600 "$work/err" | head -n 5 | sed 's/^/    | /'
}

# check TEXT CONDITION…
check() {
  local text=$1
  shift
  if "$@"; then pass; else fail "$text"; fi
}

one_line_about() { # FILE: standard error is one line of text that names it, and nothing was printed as a result
  [ "$(wc -l <"$work/err")" = 1 ] && grep -qF -- "$1" "$work/err" && [ "$(wc -c <"$work/err")" -lt 500 ] &&
    ! LC_ALL=C grep -q '[[:cntrl:]]' "$work/err"
}
refused_for() { [ "$status" = 2 ] && one_line_about "$1"; }
# refused FILE ARGUMENT…: the program refuses it because of FILE
refused() {
  local file=$1
  shift
  run "$pipescope" "$@"
  check "pipescope $*: expected exit status 2 and one line about ${file##*/}" refused_for "$file"
}

printed() { grep -qE -- "$1" "$work/out"; }
fine() { [ "$status" = 0 ] && [ ! -s "$work/err" ]; }
works() {
  run "$pipescope" "$@"
  check "pipescope $*: expected exit status 0 and nothing on standard error" fine
}

has_command() { "$pipescope" "$1" --help 2>/dev/null | grep -q "^Usage: .* $1 "; } # any other word would be taken for a file, and the help for the program's

verdict() {
  printf '%d passed, %d failed\n' "$passed" "$failed"
  [ "$failed" = 0 ]
}
