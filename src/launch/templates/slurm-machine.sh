#!/usr/bin/env bash
# On one machine of a job: runs the phase, slurm/machine.sh SLUG. Slurm may tell only this script to stop, so it passes
# that on. "Stopped after a checkpoint" (75) is no failure here, which would end the machines that still write theirs.
set -u
child=
caught=
# shellcheck disable=SC2317  # called by the trap
pass_on() {
  caught=1
  [ -z "$child" ] || kill -TERM "$child" 2>/dev/null
}
trap pass_on TERM USR1

export GPUPLAN_NODE_RANK="$SLURM_NODEID"
bash "phases/$1.sh" &
child=$!
[ -z "$caught" ] || kill -TERM "$child" 2>/dev/null
while :; do
  caught=
  wait "$child"
  result=$?
  [ "$result" = 127 ] || code=$result
  [ -n "$caught" ] || break
done
[ "$code" = 75 ] || exit "$code"
