#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# run.sh TREE VERSION|VMLINUZ [FOLDER…]: boots another kernel in qemu and compares the model with it there, by the litmus cases
# of the folders (tests/litmus when none is named) and by random calls. TREE is a build of the preset `static`.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
tree=$(cd "$1" && pwd)
wanted=$2
shift 2
folders=("$@")
[ ${#folders[@]} -gt 0 ] || folders=("$here/../litmus")
ops=${PIPESCOPE_QEMU_OPS:-20000}   # random calls
seconds=${PIPESCOPE_QEMU_SECONDS:-1500} # for the whole guest

skip() { # counts as nothing: neither passed nor failed
  printf '0 passed, 0 failed, skipped: %s\n' "$*"
  exit 0
}

command -v qemu-system-x86_64 >/dev/null || skip "no qemu-system-x86_64 here (package qemu-system-x86)"
command -v cpio >/dev/null || skip "no cpio here"
work=$tree/qemu
mkdir -p "$work"
if [ -f "$wanted" ]; then
  kernel=$wanted
elif ! kernel=$(bash "$here/kernel.sh" "$wanted" "$work" 2>"$work/why"); then
  skip "$(tail -n 1 "$work/why")"
fi
name=$(basename "$kernel")
name=${name#vmlinuz-}

# --- the guest's file system: the program, the first process, the cases, the commands ---------------------------------

root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT
mkdir -p "$root/dev" "$root/proc" "$root/sys" "$root/tmp"
cp "$tree/guest_init" "$root/init"
cp "$tree/pipescope" "$root/pipescope"
strip "$root/init" "$root/pipescope" 2>/dev/null || true
cases=()
n=0
for folder in "${folders[@]}"; do
  n=$((n + 1))
  mkdir -p "$root/cases$n"
  for file in "$folder"/*.lua; do
    [ -f "$file" ] || continue
    cp "$file" "$root/cases$n/"
    cases+=("/cases$n/$(basename "$file")")
  done
done
[ ${#cases[@]} -gt 0 ] || { echo "no litmus cases in ${folders[*]}"; echo "0 passed, 1 failed"; exit 1; }
{
  echo "/pipescope check --kernel auto --on both ${cases[*]}"
  echo "/pipescope conform --kernel auto --ops $ops --ring"
  echo "/pipescope conform --kernel auto --ops $ops --seed 2"
  # A recording of the built-in pair, and one of a command: there is no shell, so the command is another recorder.
  echo "/pipescope record --capture bpf --bytes 4194304 -o /tmp/pair.psc"
  echo "/pipescope info /tmp/pair.psc"
  echo "/pipescope record --capture bpf -o /tmp/command.psc -- /pipescope record --capture syscalls --bytes 1048576 -o /tmp/inner.psc"
  echo "/pipescope info /tmp/command.psc"
  echo "/pipescope record --capture syscalls -o /tmp/traced.psc -- /pipescope record --capture syscalls --bytes 1048576 -o /tmp/inner.psc"
  echo "/pipescope info /tmp/traced.psc"
} >"$root/commands"
(cd "$root" && find . | cpio -o -H newc -R 0:0 --quiet) | gzip -1 >"$work/$name.initramfs"

# --- the run ----------------------------------------------------------------------------------------------------------

said=$work/$name.log console=$work/$name.console
: >"$said"
status=0
timeout --foreground --kill-after=10 "$seconds" qemu-system-x86_64 -machine pc,accel=tcg -m 1024 -smp 1 -nodefaults -display none -no-reboot \
  -kernel "$kernel" -initrd "$work/$name.initramfs" -append "console=ttyS0 panic=-1 mitigations=off" \
  -serial "file:$console" -serial "file:$said" </dev/null >"$work/$name.qemu" 2>&1 || status=$?
rm -f "$work/$name.initramfs"

# --- what came of it --------------------------------------------------------------------------------------------------

guest=$(sed -n 's/^@@ kernel //p' "$said")
if ! grep -q '^@@ end' "$said"; then
  echo "the guest with $name did not come to its end (qemu's status $status); it said:"
  grep -v '^ok ' "$said" | tail -n 15
  tail -n 15 "$console" 2>/dev/null || true
  echo "0 passed, 1 failed"
  exit 1
fi
echo "kernel $guest"
grep -E '^(FAILED|  )' "$said" || true
# Why cases were skipped, each reason once with its number.
grep '^skipped ' "$said" | sed -E 's/^skipped [^ ]+ //; s/^[0-9]+ of [0-9]+ expectations/expectations/' | sort | uniq -c | sort -rn | head -n 12 || true

passed=0 failed=0 skipped=0 recordings=0
line=$(grep -E '^[0-9]+ passed, [0-9]+ failed, [0-9]+ skipped' "$said" | tail -n 1 || true)
if [[ $line =~ ^([0-9]+)\ passed,\ ([0-9]+)\ failed,\ ([0-9]+)\ skipped ]]; then
  passed=${BASH_REMATCH[1]} failed=${BASH_REMATCH[2]} skipped=${BASH_REMATCH[3]}
else
  echo "check gave no verdict"
  failed=1
fi
# Recordings: what info says of each, and whether all bytes are in it.
sed -n '/^@@ begin record/,/^@@ status/p; /^@@ begin info/,/^@@ status/p' "$said" | grep -E '^(pipescope record|capture|            [^ ]|events|bytes)' || true
for bytes in 4194304 1048576 1048576; do
  recordings=$((recordings + 1))
  found=$(sed -n '/^@@ begin info/,/^@@ status/p' "$said" | grep -E '^bytes ' | sed -n "${recordings}p" || true)
  if [[ $found =~ ^bytes\ +$bytes\  ]]; then passed=$((passed + 1)); else failed=$((failed + 1)); echo "FAILED recording $recordings: not $bytes bytes in it: $found"; fi
done
# conform: status 0 alike, 1 a difference, 2 could not run (no right to read rings: skipped).
command=
while read -r mark word rest; do
  [ "$mark" = "@@" ] || continue
  case $word in
    begin) command=$rest ;;
    status)
      [ "$command" = conform ] || continue
      case $rest in
        0) passed=$((passed + 1)) ;;
        2) skipped=$((skipped + 1)) ;;
        *) failed=$((failed + 1)) ;;
      esac
      ;;
  esac
done <"$said"
sed -n '/^@@ begin conform/,/^@@ status/p' "$said" | grep -v '^@@' | tr '\r' '\n' | sed -E 's/^[0-9]+ of [0-9]+ calls//' | grep . || true
printf '%d passed, %d failed, %d skipped on %s\n' "$passed" "$failed" "$skipped" "$guest"
[ "$failed" = 0 ]
