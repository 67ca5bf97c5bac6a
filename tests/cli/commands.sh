#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The commands do what they say: exit status, where the output goes, and that figures and words go together.
source "$(dirname "${BASH_SOURCE[0]}")/checks.bash"

refused_as_usage() { [ "$status" = 2 ] && [ "$(wc -l <"$work/err")" = 1 ]; }

works --help
check "--help names the subcommands" printed 'info'
works --version
run "$pipescope" --no-such-option
check "an unknown option is refused in one line" refused_as_usage
run "$pipescope" info
check "a missing argument is refused in one line" refused_as_usage

for scenario in "$source_dir"/assets/scenarios/*.lua "$source_dir"/assets/scenarios/*/*.lua; do
  [ -f "$scenario" ] || continue
  works step "$scenario"
  check "step of ${scenario##*/} prints stages" printed '.'
  works step --json "$scenario"
  check "step --json of ${scenario##*/} is one object" printed '^\{'
done

# The ladder, short: six rows with their keys, a tree on request, and what cannot be is told in one line.
works ladder --bytes 16M --report
check "ladder prints every rung" printed '^untouched pages +25\.0 '
check "ladder --report prints call paths" printed '__do_sys_vmsplice$'
works ladder --bytes 16M --json
check "ladder --json has six rows" test "$(grep -c '"published_gib_per_s":' "$work/out")" = 6
for key in name simulated_gib_per_s error live_gib_per_s live_min live_max writer_sleeps_per_ring per_gib shares; do
  check "ladder --json has $key" printed "\"$key\":"
done
run "$pipescope" ladder --rung none --bytes 16M
check "a rung that is none is refused in one line" refused_as_usage
printf 'name = "x"\nkernel = "5.17"\n[costs]\n' >"$work/x.toml"
refused "$work/x.toml" ladder --profile "$work/x.toml"

run "$pipescope" calibrate -o "$work/here.toml" --rounds 50
check "calibrate exits with status 0" test "$status" = 0
works ladder --profile "$work/here.toml" --bytes 16M
check "ladder takes the profile that calibrate wrote" printed '^profile here, kernel '
run "$pipescope" calibrate -o "$work/none/here.toml"
check "a profile that cannot be written is refused in one line" refused_as_usage

works ladder --forwarder
check "ladder --forwarder names the mutex that is waited for" printed "pipe 1's mutex: taken"
works ladder --forwarder --json
check "ladder --forwarder has three rows and two ratios" test "$(grep -c '"published_gbit_per_s":' "$work/out") $(grep -c '"name": ".*/copy"' "$work/out")" = "3 2"
refused "$work/x.toml" ladder --forwarder --profile "$work/x.toml"

works step "$source_dir/assets/scenarios/forwarder/5_burst.lua"
check "a burst that does not fit is EAGAIN again and again" test "$(grep -c 'EAGAIN' "$work/out")" -gt 5
works step "$source_dir/assets/scenarios/forwarder/9_burst_waits.lua"
check "… or a sleep" printed 'worker +wait_for_space +sleep'

works ladder --mbufs --chain
check "ladder --mbufs --chain shows what a broken rule does" printed 'A x 1400 +A x 1400 +B x 1400 +<- not what was meant$'
works ladder --mbufs --chain --json
check "ladder --mbufs --chain --json has both rules" test "$(grep -c '"rule":' "$work/out")" = 2
works ladder --mbufs --json
check "ladder --mbufs has ten rows" test "$(grep -c '"published_improvement":' "$work/out")" = 10

# Litmus cases: 0 when all hold, 1 when one does not, 2 when one cannot be read.
cat >"$work/holds.lua" <<'END'
local p = pipe()
expect(write(p.w, "abc"), 3)
expect(fionread(p.r), 3)
END
sed 's/), 3)$/), 4)/' "$work/holds.lua" >"$work/fails.lua"
works check "$work/holds.lua"
check "the count of cases is the last line" printed '^1 passed, 0 failed, 0 skipped$'
run "$pipescope" check "$work/holds.lua" "$work/fails.lua"
check "a case that does not hold gives exit status 1" test "$status" = 1
check "… and is counted" printed '^1 passed, 1 failed, 0 skipped$'
refused "$work/none.lua" check "$work/none.lua" "$work/holds.lua"
grep -v expect "$work/holds.lua" >"$work/asks.lua"
works check "$work/asks.lua"
check "a case that expects nothing has not passed" printed '^0 passed, 0 failed, 1 skipped$'
run "$pipescope" step --json "$work/fails.lua"
check "step --json of a scenario that fails is one object all the same" printed '"fault":".*expected 4, got 3"'
check "… with exit status 1" test "$status" = 1

# Names are strangers' text: no control character of theirs reaches the terminal.
printf 'local p = pipe()\nlocal t = task("a\\27[31mb", function() write(p.w, "x") end)\nprint("\\27[2J")\nexpect(1, "\\27[2J")\n' >"$work/colours.lua"
no_control() { ! LC_ALL=C tr -d '\n' <"$1" | LC_ALL=C grep -q '[[:cntrl:]]'; }
for command in "step --events" "check" "explore"; do
  # shellcheck disable=SC2086 # two words
  run "$pipescope" $command "$work/colours.lua"
  check "$command: standard output has no control characters" no_control "$work/out"
  check "$command: standard error has none" no_control "$work/err"
done
works step --events --kernel 6.12 "$source_dir/assets/scenarios/merge.lua"
check "before 6.15 the function was called pipe_write" printed 'Enters pipe_write\(\)'
check "… and not anon_pipe_write" test "$(grep -c anon_pipe "$work/out")" = 0
check "a word that is no command has none" eval '! has_command nonsense'

# In lock step with this kernel: alike under the model of 6.18 and later, and told where a wrong model differs.
works step "$source_dir/assets/scenarios/merge.lua" --on kernel
check "step --on kernel ends with a verdict" printed '^7 calls compared with .*: no difference'
printf 'local p, z = pipe{nonblock=true}, zero()\nsplice(z, nil, p.w, nil, 10)\n' >"$work/parts.lua"
run "$pipescope" step "$work/parts.lua" --on kernel --kernel 5.10
check "step --on kernel exits with 1 where the two part" test "$status" = 1
check "… and says DIVERGED there" printed 'DIVERGED +kernel splice\(5, 4, 10\) = 10, model splice\(5, 4, 10\) = EINVAL'
run "$pipescope" step "$work/parts.lua" --on kernel --kernel 5.10 --json
check "step --on kernel --json marks the event" printed "\"diverged\":true"

# In a terminal a key makes a call, and nothing else does.
if command -v script >/dev/null; then
  by_hand() { # KEYS
    status=0
    printf '%s' "$1" | timeout 60 script -qec "'$pipescope' step '$source_dir/assets/scenarios/merge.lua' --on kernel" /dev/null >"$work/out" 2>"$work/err" || status=$?
  }
  by_hand '  q'
  check "step --on kernel in a terminal makes as many calls as keys were pressed" printed '^2 calls compared with .*: no difference'
  check "… and says which one is next, and what the model says of it" printed 'next +program, line 13: write\(4, 4106\) · not made yet; the model says 4106'
  check "… which is not made" test "$(grep -c 'write returns 4106' "$work/out")" = 0
  by_hand ' a'
  check "… and all of them by a" printed '^7 calls compared with .*: no difference'
  by_hand q
  check "… and none by q" printed '^0 calls compared with '
fi
if has_command shot; then
  works shot "$source_dir/assets/scenarios/merge.lua" --on kernel --at 157 -o "$work/half.png"
fi

# A recording of this machine, with whatever capture this user may have.
run "$pipescope" record --write write --read read --bytes 4M -o "$work/run.psc"
check "record exits with status 0" test "$status" = 0
if [ -s "$work/run.psc" ]; then
  works info "$work/run.psc"
  check "info names the kernel" printed "^kernel +$(uname -r)"
  check "info says in words whose pages the slots held" printed '^pipe 1: '
  works info --json "$work/run.psc"
  for key in cut kernel capture events lost duration_ns bytes gib_per_s tasks pipes slots_by_owner time_by_task findings first_divergence; do
    check "info --json has $key" printed "\"$key\":"
  done
  check "all bytes written were read" printed '"bytes": 4194304'
  works step --until 50 "$work/run.psc"
  refused "/no/such/folder/x.psc" salvage "$work/run.psc" -o /no/such/folder/x.psc

  # Cut short, then saved: the saved file is a whole one.
  size=$(stat -c %s "$work/run.psc")
  head -c $((size - 20)) "$work/run.psc" >"$work/cut.psc"
  works info "$work/cut.psc"
  check "info says that it is cut off" printed '^ +cut off: '
  works salvage "$work/cut.psc" -o "$work/saved.psc"
  works info "$work/saved.psc"
  events() { "$pipescope" info --json "$1" | grep -m 1 '"events":'; }
  check "nothing but the end was missing: all events were saved" test "$(events "$work/saved.psc")" = "$(events "$work/run.psc")"
  works salvage "$work/cut.psc" -o "$work/cut.psc"
  works info "$work/cut.psc"
  check "… and then it is whole" test "$(grep -c 'cut off' "$work/out")" = 0
fi
run "$pipescope" record --write write --read read --bytes 64K -o /dev/full
check "a full disk is told in one line" refused_for /dev/full

if has_command shot; then
  works shot "$source_dir/assets/scenarios/tour.lua" --size 640x480 -o "$work/tour.png"
  check "shot writes a PNG" test "$(head -c 4 "$work/tour.png" | tail -c 3)" = PNG
  tour=$source_dir/assets/scenarios/tour.lua
  works shot "$tour" --at 200 --address 0x0000f2705af953c0 -o "$work/walk.png"
  works shot "$tour" --at 200 --tab page --theme light -o "$work/page.png"
  works shot "$tour" --tab memory --size 800x600 -o "$work/memory.png"
  works shot "$tour" --kernel 6.12 --against 6.18 -o "$work/versions.png"
  for tab in locks ledger costs ladder; do works shot "$tour" --at 283 --tab $tab -o "$work/$tab.png"; done
  works shot "$tour" --schedule "@240 1" --at 283 --tab locks -o "$work/branch.png"
  check "a branch and each tab are pictures of their own" \
    test "$(cksum "$work"/{locks,ledger,costs,ladder,branch}.png | cut -d' ' -f1 | sort -u | wc -l)" = 5
  works shot "$tour" --profile "$source_dir/assets/profiles/i7-8550u-5.17.toml" -o "$work/profile.png"
  refused "--profile /no/such.toml" shot "$tour" --profile /no/such.toml -o "$work/no.png"
  works shot "$source_dir/assets/scenarios/mbuf/3_reused.lua" --at 95 -o "$work/mbufs.png"
  refused "--schedule @5" shot "$tour" --schedule "@5" -o "$work/no.png"
  check "different tabs are different pictures" test "$(cat "$work"/{walk,page,memory,versions}.png | wc -c)" -gt 100000
  check "each picture is another one" test "$(cksum "$work"/{walk,page,memory,versions}.png | cut -d' ' -f1 | sort -u | wc -l)" = 4
  for size in 320x240 640x479 0x0 -1x5 9000x600 640 640x480x1; do refused "--size $size" shot "$tour" "--size=$size" -o "$work/no.png"; done
  refused "--size 800x600" shot "$tour" --size 800x600 --scale 1.5 -o "$work/no.png"
  for name in no.jpg no.JPEG no.pnge; do refused "$work/$name" shot "$tour" -o "$work/$name"; done
  refused /dev/full shot "$tour" -o /dev/full
  refused "--address hello" shot "$tour" --address hello -o "$work/no.png"
  run "$pipescope" shot "$tour" --schedule "@300 3" -o "$work/no.png"
  check "a task that cannot go on is told in one line" refused_as_usage
  refused "--against 1.0" shot "$tour" --against 1.0 -o "$work/no.png"
  check "what is refused leaves no file" test -z "$(ls "$work" | grep '^no\.')"
  run "$pipescope" shot "$tour" -o /no/such/folder/tour.png
  check "a picture that cannot be written is told in one line" refused_for /no/such/folder/tour.png
fi

verdict
