#!/usr/bin/env bash
# On the rented machine: on_machine.sh GROUP LIMIT GRACE runs GROUP.sh for at most LIMIT seconds and switches the
# machine off, whose disk stays.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit
# What the provider tells containers, and not always those who log in.
set -a
for file in /root/machine.env /etc/rp_environment "$PWD/variables.sh"; do
  # shellcheck source=/dev/null
  [ ! -f "$file" ] || . "$file"
done
set +a
export GPUPLAN_RUNS="$PWD/runs"
# Nobody else writes into these runs: to wait for another machine would be in vain.
export GPUPLAN_WAIT="${GPUPLAN_WAIT:-0}"
if [ -x ./gpuplan ]; then export GPUPLAN="$PWD/gpuplan"; fi
mkdir -p runs
# Both who logs in and the machine itself may start it.
exec 9>runs/lock
if command -v flock >/dev/null && ! flock -n 9; then
  printf 'it runs already\n'
  exit 0
fi
rm -f runs/exit-code
timeout --signal=TERM --kill-after="$3s" "$2s" bash "$1.sh" 9>&-
code=$?
printf '%s\n' "$code" >runs/exit-code
printf 'ended with exit code %s; switching the machine off\n' "$code"
if [ -n "${CONTAINER_ID:-}" ]; then
  command -v vastai >/dev/null || pip install -q vastai
  vastai stop instance "$CONTAINER_ID" --api-key "${CONTAINER_API_KEY:-}"
elif [ -n "${RUNPOD_POD_ID:-}" ]; then
  runpodctl pod stop "$RUNPOD_POD_ID" || runpodctl stop pod "$RUNPOD_POD_ID"
fi
