#!/usr/bin/env bash
# Megatron-LM keeps every checkpoint: beside it, this removes all but the N newest that are whole.
# (Its own --save-retain-interval, of core 0.14 and later, would leave the newest alone.)
#   keep.sh N PID   as long as that process is there
set -u
cd "$GPUPLAN_CHECKPOINTS" || exit
while kill -0 "$2" 2>/dev/null; do
  # iter_0001000; the number in the file is that of the last one that is whole.
  newest=$(cat latest_checkpointed_iteration.txt 2>/dev/null)
  if [[ $newest =~ ^[0-9]+$ ]]; then
    for folder in iter_*; do
      [ ! -d "$folder" ] || [ "$((10#${folder#iter_}))" -gt "$newest" ] || echo "$folder"
    done | sort | head -n "-$1" | xargs -r rm -rf
  fi
  sleep "${GPUPLAN_POLL:-30}"
done
