#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The live ladder: all its keys, a table to read and one for a document. What it measured is nobody's business here.
source "$(dirname "${BASH_SOURCE[0]}")/checks.bash"

count() { grep -c "$1" "$work/out"; }
works ladder --live --bytes 2M --runs 2 --json
check "ladder --live has six rows" test "$(count '"published_gib_per_s":')" = 6
for key in live_gib_per_s live_min live_max; do
  # The two rungs with huge pages are left out where the kernel gives none.
  check "each row has $key" test "$(count "\"$key\": [0-9]")" -ge 4
  check "… once" test "$(count "\"$key\":")" = 6
done
for key in live_writer_sleeps_per_ring live_reader_sleeps_per_ring live_foreign_share live_runs simulated_beside_live; do
  check "ladder --live has $key" printed "\"$key\": -?[0-9]"
done
check "as many runs as asked for" printed '"live_runs": 2'
check "of as many bytes" printed '"live_bytes": 2097152'
works ladder --live --bytes 2M --runs 1 --rung write/read
check "a table to read" grep -qE '^write/read +3\.70 +[0-9.]+ +[0-9.]+' "$work/out"
works ladder --live --bytes 2M --runs 1 --rung write/read --markdown
check "a table for a document" printed '^\| write/read \| [0-9.]+ \('
run "$pipescope" ladder --markdown
check "--markdown without --live is refused in one line" refused_for --markdown

verdict
