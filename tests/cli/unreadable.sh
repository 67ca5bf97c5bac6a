#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Whatever is not a recording or a scenario is refused by every command, in one line that names the file, with exit status 2.
source "$(dirname "${BASH_SOURCE[0]}")/checks.bash"

with_window=no
has_command shot && with_window=yes

# every_command FILE [recording|scenario]: all commands, or those alone that take only the one kind
every_command() {
  local file=$1 kind=${2:-neither}
  if [ "$kind" != scenario ]; then
    refused "$file" info "$file"
    refused "$file" info --json "$file"
  fi
  if [ "$kind" = neither ]; then
    refused "$file" salvage "$file" -o "$work/saved.psc"
    check "salvage of ${file##*/} leaves no file behind" test ! -e "$work/saved.psc"
    rm -f "$work/saved.psc"
  fi
  refused "$file" step "$file"
  refused "$file" step --json "$file"
  if [ "$kind" != recording ]; then
    refused "$file" check "$file"
    refused "$file" check --on kernel "$file"
    refused "$file" check --json "$file"
  fi
  if [ $with_window = yes ]; then
    refused "$file" shot "$file" -o "$work/shot.png"
    check "shot of ${file##*/} leaves no file behind" test ! -e "$work/shot.png"
    rm -f "$work/shot.png"
    refused "$file" "$file"
  fi
}

png='\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\1\0\0\0\1\x08\6\0\0\0\x1f\x15\xc4\x89'
: >"$work/empty"
: >"$work/empty.lua"
: >"$work/empty.psc"
for type in png psc lua; do printf '%b' "$png" >"$work/picture.$type"; done
printf '\x89PSC\r\n\x1a\n' >"$work/magic.psc"
head -c 100000 /dev/urandom >"$work/noise.psc"
printf '\x1bLua\x54\0\x19\x93\r\n\x1a\n' >"$work/bytecode.lua"
printf 'Some prose, no program.\n' >"$work/prose.txt"
mkdir "$work/folder" "$work/folder.psc"
ln -s "$work/loop" "$work/loop"
ln -s "$work/nowhere" "$work/dangling.psc"

for file in "$work"/{missing,missing.psc,missing.lua,missing/deeper.psc,empty,empty.lua,empty.psc,picture.png,picture.psc,picture.lua,magic.psc,noise.psc,bytecode.lua,prose.txt,folder,folder.psc,loop,dangling.psc} /bin/ls /dev/null; do
  every_command "$file"
done

# A scenario cut in the middle of a call.
printf 'local p = pipe()\nlocal b = buffer("16' >"$work/cut.lua"
every_command "$work/cut.lua" scenario

says_cut() { [ "$status" = 0 ] && [ -s "$work/out" ] && one_line_about "$1" && grep -q 'cut off' "$work/err"; }
# A recording cut before it says what it recorded, and one with a byte changed. Any live run will do.
run "$pipescope" record --capture syscalls --write write --read read --bytes 1M -o "$work/whole.psc"
if [ "$status" = 0 ] && [ -s "$work/whole.psc" ]; then
  works info "$work/whole.psc"
  size=$(stat -c %s "$work/whole.psc")
  for n in 1 7 15 40 100 900; do
    head -c "$n" "$work/whole.psc" >"$work/cut-$n.psc"
    every_command "$work/cut-$n.psc" recording
  done
  for n in $((size - 300)) $((size - 30)) $((size - 1)); do # cut behind that it opens
    head -c "$n" "$work/whole.psc" >"$work/cut-$n.psc"
    works info "$work/cut-$n.psc"
    check "info says that cut-$n.psc is cut off" printed '^ +cut off: '
    works info --json "$work/cut-$n.psc"
    check "… and --json too" printed '"cut": true'
    run "$pipescope" step "$work/cut-$n.psc"
    check "step says so once, and steps" says_cut "$work/cut-$n.psc"
    [ $with_window = no ] || works shot "$work/cut-$n.psc" -o "$work/shot.png"
    rm -f "$work/shot.png"
  done
  for n in 20 $((size / 2)) $((size - 5)); do
    cp "$work/whole.psc" "$work/changed-$n.psc"
    byte=$(od -An -tu1 -j "$n" -N 1 "$work/whole.psc" | tr -d ' ')
    printf '%b' "\\x$(printf %02x $((byte ^ 255)))" | dd of="$work/changed-$n.psc" bs=1 seek="$n" conv=notrunc status=none
    every_command "$work/changed-$n.psc" recording
  done
else
  fail "pipescope record --capture syscalls: no recording to cut"
fi

verdict
