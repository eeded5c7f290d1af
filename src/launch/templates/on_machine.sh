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
if [ -x ./gpuplan ]; then export GPUPLAN="$PWD/gpuplan"; fi
timeout --signal=TERM --kill-after="$3s" "$2s" bash "$1.sh"
code=$?
mkdir -p runs
printf '%s\n' "$code" >runs/exit-code
printf 'ended with exit code %s; switching the machine off\n' "$code"
if [ -n "${CONTAINER_ID:-}" ]; then
  command -v vastai >/dev/null || pip install -q vastai
  vastai stop instance "$CONTAINER_ID" --api-key "${CONTAINER_API_KEY:-}"
elif [ -n "${RUNPOD_POD_ID:-}" ]; then
  runpodctl pod stop "$RUNPOD_POD_ID" || runpodctl stop pod "$RUNPOD_POD_ID"
fi
