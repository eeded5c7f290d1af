# Slurm runs a copy of this file, which says where it was handed in from.
find_folder() {
  local lies
  export GPUPLAN_CODE
  GPUPLAN_CODE=$(cd "${GPUPLAN_CODE:-.}" && pwd) || stop 78 "GPUPLAN_CODE is no folder"
  case ${GPUPLAN_RUNS:-/} in /*) ;; *) GPUPLAN_RUNS=$PWD/$GPUPLAN_RUNS ;; esac
  lies=$(scontrol show job "$SLURM_JOB_ID" 2>/dev/null | sed -n 's/^ *Command=//p')
  [ "${lies##*/}" = "$script" ] || lies=$SLURM_SUBMIT_DIR/$script
  cd "$(dirname "$lies")" || stop 78 "$(dirname "$lies") is not seen from here; put it on storage that all machines see"
}

# srun starts this file again on each machine.
if [ -n "${GPUPLAN_ON_MACHINE:-}" ]; then
  export GPUPLAN_NODE_RANK="$SLURM_NODEID"
  trap asked_to_stop TERM USR1
  # Stopped after a checkpoint is no failure here, which would end the machines that still write theirs.
  trap '[ "$?" != 75 ] || exit 0' EXIT
  run_phase
elif [ -n "${SLURM_JOB_ID:-}" ]; then
  find_folder
  on_machine=(env GPUPLAN_ON_MACHINE=1 bash "$PWD/$script")
  run_job
else
  check_required
  stop 78 "nothing is missing, but this is a job for Slurm: $hand_in"
fi
