#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# What `info` finds in recordings of real programs: each of these shows its cause by name.
source "$(dirname "${BASH_SOURCE[0]}")/checks.bash"
odd=$(dirname "$pipescope")/tests/odd_writers

# Without privileges: who sleeps is inferred from switches and CPU times, and the same side is found to be the slower one.
unprivileged=()
if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null; then
  chmod 755 "$work"
  cp "$pipescope" "$work/pipescope"
  unprivileged=(setpriv --reuid 65534 --regid 65534 --clear-groups --inh-caps=-all)
fi
mkdir -m 777 "$work/open"
infers() { # RULE COMMAND
  local own=$pipescope
  [ ${#unprivileged[@]} = 0 ] || pipescope=$work/pipescope
  run "${unprivileged[@]}" "$pipescope" record --capture syscalls -o "$work/open/run.psc" -- sh -c "$2"
  run "$pipescope" info "$work/open/run.psc"
  pipescope=$own
  check "without privileges, $2: expected the finding $1" grep -qE "^$1 " "$work/out"
  check "… which is said to be inferred" grep -qF 'Inferred: sleeps' <(tr -s ' \n' ' ' <"$work/out")
  check "… and the task that slept has its sleeps counted" grep -qE "^$3 \\([0-9]+\\) +[0-9]+ +[0-9.]+ [A-Za-z]+ +[1-9]" "$work/out"
}
infers reader_slower 'dd if=/dev/zero bs=64K count=32 2>/dev/null | (sleep 0.3; cat >/dev/null)' dd
infers writer_slower '(echo a; sleep 0.1; echo b; sleep 0.1; echo c) | cat >/dev/null' cat

found() { grep -qE "^$1 " "$work/out"; }
# finds RULES COMMAND: the recording of the command shows each of them
finds() {
  local rules=$1
  run "$pipescope" record -o "$work/run.psc" -- sh -c "$2"
  run "$pipescope" info "$work/run.psc"
  for rule in $rules; do check "$2: expected the finding $rule" found "$rule"; done
}

run "$pipescope" record -o "$work/first.psc" -- sh -c 'echo x | cat >/dev/null'
run "$pipescope" info "$work/first.psc"
if ! grep -qE '^capture +bpf' "$work/out"; then
  echo "the kernel's ring cannot be read here: findings of other programs are not tested"
  verdict
  exit
fi

finds sigpipe 'yes | head -c 20M >/dev/null'
finds small_calls 'dd if=/dev/zero bs=100 count=5000 2>/dev/null | dd bs=100 of=/dev/null 2>/dev/null'
finds 'merging_defeated small_calls' "'$odd' pieces | cat >/dev/null"
finds several_writers "'$odd' two | cat >/dev/null"
finds page_reused "'$odd' reuse | cat >/dev/null"
finds '(untouched_buffer|zero_page)' "'$odd' untouched | cat >/dev/null"
finds teed "(yes | head -c 2M | '$odd' tee | cat >/dev/null) 2>&1 | cat >/dev/null"
finds merging_defeated "'$odd' packets | cat >/dev/null"
finds cut_short "'$odd' spin | (sleep 0.1; cat >/dev/null)"
finds busy_loop "'$odd' spin | (sleep 0.3; cat >/dev/null)"
finds reader_slower 'dd if=/dev/zero bs=64K count=32 2>/dev/null | (sleep 0.3; cat >/dev/null)'
finds writer_slower '(echo a; sleep 0.1; echo b; sleep 0.1; echo c) | cat >/dev/null'
# Who of these is slower is up to the machine: one verdict there must be.
finds '(reader_slower|writer_slower|in_turns|balanced)' "tar cf - '$source_dir/core' '$source_dir/docs' | gzip -9 >/dev/null"
if command -v make >/dev/null; then
  printf 'all: a b c d\na b c d:\n\t@sleep 0.02\n' >"$work/Makefile"
  finds counter "make -f '$work/Makefile' -j2"
fi
if command -v pv >/dev/null; then finds '(reader|writer)_slower' 'yes | pv -q -L 20M | head -c 8M >/dev/null'; fi

verdict
