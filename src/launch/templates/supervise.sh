#!/usr/bin/env bash
# Runs a program that saves its state when it finds the file $GPUPLAN_RUN_DIR/stop, and makes that file when this script
# is told to stop (SIGTERM, SIGUSR1, SIGINT). Programs that start processes (torchrun, accelerate) kill them half a minute
# after they get a signal, which is too early for a large checkpoint: so they get none, but have SECONDS to end.
#   supervise.sh [--workers] SECONDS COMMAND [ARGUMENT...]
# --workers: the processes that COMMAND started know no file but get SIGTERM, and COMMAND itself none; they save their
# state and end with 0, which is 75 here (Megatron-LM's --exit-signal-handler).
# GPUPLAN_GRACE, where it is set, stands in place of SECONDS. Exit code: 75 where the program saved its state and stopped
# ($GPUPLAN_RUN_DIR/stopped), else the program's.
set -u
run_dir=${GPUPLAN_RUN_DIR:?is not set}
workers=
if [ "$1" = --workers ]; then
  workers=1
  shift
fi
seconds=${GPUPLAN_GRACE:-$1}
shift
rm -f "$run_dir/stop" "$run_dir/stopped"
signalled=
setsid "$@" &
program=$!

# SIGTERM for each child of the program, and for no child of theirs (those read data).
# shellcheck disable=SC2317 # called by ask
tell_workers() {
  local status line fields
  for status in /proc/[0-9]*/stat; do
    # "PID (NAME) STATE PARENT ...", and NAME may hold anything.
    line=$(cat "$status" 2>/dev/null) || continue
    read -r -a fields <<<"${line##*) }"
    [ "${fields[1]:-}" = "$program" ] || continue
    status=${status#/proc/}
    kill -TERM "${status%/stat}" 2>/dev/null
  done
}

# shellcheck disable=SC2317 # called by trap
ask() {
  [ -z "$signalled" ] || return 0
  signalled=1
  : >"$run_dir/stop"
  [ -z "$workers" ] || tell_workers
  (
    # A little before whoever asked loses patience: nothing of the program is left behind.
    end=$((SECONDS + (seconds > 20 ? seconds - 10 : seconds / 2)))
    while [ "$SECONDS" -lt "$end" ] && kill -0 "$program" 2>/dev/null; do sleep 1; done
    kill -KILL -- "-$program" 2>/dev/null
  ) &
}
trap ask TERM USR1 INT

# A signal ends `wait` before the program has ended.
code=0
while :; do
  wait "$program" 2>/dev/null
  code=$?
  kill -0 "$program" 2>/dev/null || break
done
# It may have ended while the signal was dealt with: then the code is the signal's, and the program's still waits.
if [ -n "$signalled" ] && [ "$code" -gt 128 ]; then
  wait "$program" 2>/dev/null
  late=$?
  [ "$late" = 127 ] || code=$late
fi
if [ -e "$run_dir/stopped" ]; then exit 75; fi
if [ -n "$workers" ] && [ -n "$signalled" ] && [ "$code" = 0 ]; then exit 75; fi
exit "$code"
