#!/bin/bash
# SPDX-License-Identifier: MIT
# The window starts under Xvfb, takes keys, and ends with status 0 when it is closed.
set -u
program=${1:?usage: window_smoke.sh PROGRAM}
here=$(cd "$(dirname "$0")/../.." && pwd)
for tool in Xvfb xdotool; do
    command -v $tool >/dev/null || { echo "skipped: $tool is not installed"; exit 0; }
done
"$program" shot --help >/dev/null 2>&1 || { echo "skipped: built without the window"; exit 0; }

dir=$(mktemp -d)
Xvfb -displayfd 3 -screen 0 1600x1000x24 -noreset 3>"$dir/display" 2>/dev/null &
server=$!
window=
trap 'kill $window $server 2>/dev/null; rm -rf "$dir"' EXIT
for _ in $(seq 50); do [ -s "$dir/display" ] && break; sleep 0.1; done
export DISPLAY=:$(cat "$dir/display")

LIBGL_ALWAYS_SOFTWARE=1 "$program" "$here/assets/scenarios/tour.lua" &
window=$!
id=
for _ in $(seq 100); do
    id=$(xdotool search --onlyvisible --name pipescope 2>/dev/null | head -1)
    [ -n "$id" ] && break
    sleep 0.1
done
[ -n "$id" ] || { echo "no window appeared"; exit 1; }
sleep 0.5
xdotool windowfocus "$id" 2>/dev/null
for key in Right Right Right Left space space End Home t ctrl+equal ctrl+minus; do xdotool key --window "$id" $key; sleep 0.05; done
kill -0 $window || { echo "the window is gone"; exit 1; }

# Idle, it must not spin: CPU ticks over two seconds.
sleep 1
before=$(awk '{print $14 + $15}' /proc/$window/stat)
sleep 2
after=$(awk '{print $14 + $15}' /proc/$window/stat)
echo "idle: $((after - before)) ticks of $(($(getconf CLK_TCK) * 2))"
[ $((after - before)) -le $(($(getconf CLK_TCK) * 2 * 3 / 100)) ] || { echo "an idle window is busy"; exit 1; }

xdotool key --window "$id" ctrl+q # closes it, and shows that keys arrive
for _ in $(seq 100); do kill -0 $window 2>/dev/null || break; sleep 0.1; done
kill -0 $window 2>/dev/null && { echo "the window does not close"; exit 1; }
wait $window
status=$?
window=
echo "closed with status $status"
exit $status
