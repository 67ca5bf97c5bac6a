#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The built-in writer and reader on the command line: each option is taken, each nonsense refused in one line.
source "$(dirname "${BASH_SOURCE[0]}")/checks.bash"

recorded() { # BYTES: the run ended well and moved so many bytes
  [ "$status" = 0 ] && grep -qE "\"bytes\": $1," "$work/out"
}
pair() { run "$pipescope" record --json --bytes 300001 -o "$work/run.psc" "$@"; }
for options in "--write vmsplice --read splice --gift" "--write vmsplice --read read --same-buffer --verify" "--lock-memory --verify" \
  "--write write --read splice --busy-loop --poll" "--untouched --buffer 64K --pipe-size 8K --verify" "--poll --writer-cpu 0 --reader-cpu 0"; do
  # shellcheck disable=SC2086
  pair $options
  check "record $options moves the bytes" recorded 300001
done
pair --huge-page --write vmsplice
check "--huge-page works, or says that the kernel gives none" eval 'recorded 300001 || refused_for "huge pages"'

while IFS='|' read -r wrong about; do
  # shellcheck disable=SC2086
  pair $wrong
  check "record $wrong is refused in one line" refused_for "$about"
done <<'END'
--gift|--gift
--same-buffer|--same-buffer
--write vmsplice --buffer 5 --same-buffer|--buffer must be even
--read splice --verify|--verify
--writer-cpu 1000000|CPU 1000000
--write sendfile|sendfile
--buffer 0|--buffer
--bytes x|--bytes
END

verdict
