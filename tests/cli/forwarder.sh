#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The built-in forwarder on the command line: rows beside the published ones, recordings, and what is refused.
source "$(dirname "${BASH_SOURCE[0]}")/checks.bash"

works ladder --live --forwarder --bytes 3M --runs 2 --connections 2 --verify --json
for key in live_gbit_per_s live_min live_max live_user live_system live_switches_per_s live_eagain_share; do
  check "each of the three forwarders has $key" test "$(grep -c "\"$key\": [0-9]" "$work/out")" = 3
done
check "as many runs as asked for" test "$(grep -c '"live_runs": 2' "$work/out")" = 3
check "of as many bytes" test "$(grep -c '"live_bytes": 3145728' "$work/out")" = 3
works ladder --live --forwarder --bytes 2M --runs 1
check "a table with both ratios" printed '^shared/copy +published +0\.74, simulated +[0-9.]+, here +[0-9.]+'
check "and own/copy" printed '^own/copy +published +3\.62'
works ladder --live --forwarder --bytes 2M --runs 1 --markdown
check "a table for a document" printed '^\| read/write \| 24\.5 \|'

for how in own shared; do
  for capture in auto syscalls; do
    run "$pipescope" record --json --forwarder $how --capture $capture --connections 2 --bytes 300001 --verify -o "$work/run.psc"
    check "record --forwarder $how, $capture" test "$status" = 0
    check "… has all bytes" printed '"bytes": 300001,'
    run "$pipescope" info --json "$work/run.psc"
    check "… by two workers" eval '[ "$(grep -oE "worker [0-9]" "$work/out" | sort -u | wc -l)" = 2 ]'
  done
done

while IFS='|' read -r wrong about; do
  # shellcheck disable=SC2086
  run "$pipescope" $wrong -o "$work/none.psc"
  check "$wrong is refused in one line" refused_for "$about"
done <<'END'
record --forwarder copy|copy
record --forwarder own --gift|--gift
record --forwarder own --connections 0|--connections
record --connections 2|--forwarder
record --forwarder own --capture nonsense|--capture
END
run "$pipescope" record --forwarder own -o "$work/none.psc" -- true
check "a forwarder and a command are refused in one line" refused_for "--forwarder"
run "$pipescope" ladder --forwarder --connections 2
check "--connections without --live is refused in one line" refused_for "--live"

verdict
