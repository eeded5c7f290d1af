#!/usr/bin/env bash
# Runs a program that saves its state when it finds the file $GPUPLAN_RUN_DIR/stop, and makes that file when this script
# is told to stop (SIGTERM, SIGUSR1, SIGINT). Programs that start processes (torchrun, accelerate) kill them half a minute
# after they get a signal, which is too early for a large checkpoint: so they get none, but have SECONDS to end.
#   supervise.sh SECONDS COMMAND [ARGUMENT...]
# GPUPLAN_GRACE, where it is set, stands in place of SECONDS. Exit code: 75 where the program saved its state and stopped
# ($GPUPLAN_RUN_DIR/stopped), else the program's.
set -u
run_dir=${GPUPLAN_RUN_DIR:?is not set}
seconds=${GPUPLAN_GRACE:-$1}
shift
rm -f "$run_dir/stop" "$run_dir/stopped"
signalled=
setsid "$@" &
program=$!

# shellcheck disable=SC2317 # called by trap
ask() {
  [ -z "$signalled" ] || return 0
  signalled=1
  : >"$run_dir/stop"
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
if [ -e "$run_dir/stopped" ]; then exit 75; fi
exit "$code"
