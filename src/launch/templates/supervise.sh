#!/usr/bin/env bash
# Runs a program that saves its state when it is asked to stop, and asks it when this script is told to stop.
#   supervise.sh [--ask] COMMAND [ARGUMENT...]
# SIGTERM, SIGUSR1 or SIGINT: with --ask the file $GPUPLAN_RUN_DIR/stop appears, and the program has
# GPUPLAN_STOP_SECONDS (900) to write a checkpoint and end by itself: launchers of processes kill them seconds after they
# get a signal. After that, or without --ask, the program and all its children get SIGTERM.
# Exit code: 75 where the program stopped early with its state saved ($GPUPLAN_RUN_DIR/stopped), else the program's.
set -u
run_dir=${GPUPLAN_RUN_DIR:?is not set}
ask=
if [ "${1:-}" = --ask ]; then
  ask=1
  shift
fi
rm -f "$run_dir/stop" "$run_dir/stopped"
signalled=
setsid "$@" &
program=$!

# shellcheck disable=SC2317 # called by trap
stop() {
  [ -z "$signalled" ] || return 0
  signalled=1
  if [ -z "$ask" ]; then
    kill -TERM -- "-$program" 2>/dev/null
    return 0
  fi
  : >"$run_dir/stop"
  (
    end=$((SECONDS + ${GPUPLAN_STOP_SECONDS:-900}))
    while [ "$SECONDS" -lt "$end" ] && kill -0 "$program" 2>/dev/null; do sleep 1; done
    kill -TERM -- "-$program" 2>/dev/null
  ) &
}
trap stop TERM USR1 INT

# A signal ends `wait` before the program has ended.
code=0
while :; do
  wait "$program"
  code=$?
  kill -0 "$program" 2>/dev/null || break
done
if [ -e "$run_dir/stopped" ]; then exit 75; fi
exit "$code"
