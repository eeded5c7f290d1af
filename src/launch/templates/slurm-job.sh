# shellcheck shell=bash
# What every job of this plan does on Slurm: tells the script of its phase which machines it has, passes on the signal
# to write a checkpoint, and comes back in the queue afterwards. Each job sets before it calls run_job:
#   slug            of the phase                             nodes, gpus  machines, and GPUs of each that it uses
#   script          of the phase, in the current folder      on_machine   words that run it on one machine
#   hand_in         the command that hands the job in
#   requeues        1: what runs may go on from a checkpoint; else it is not put back into the queue
#   lead            seconds before its end at which Slurm sends USR1 (--signal)
#   planned         seconds of all its runs together; after that it is held until somebody has looked at it
# shellcheck disable=SC2154  # those variables
set -uo pipefail
say() { printf '%s %s: %s\n' "$(date -u +%Y-%m-%dT%H:%M:%SZ)" "$slug" "$*" >&2; }
stop() {
  local code=$1
  shift
  say "$*"
  exit "$code"
}

# Signals come from --signal before the time limit, or when the job is preempted or cancelled. srun must not be told
# itself: for it a TERM is the order to kill the work at once, and a USR1, where it reaches more than the scripts, ends
# programs that do not know it.
# shellcheck disable=SC2317  # called by the traps
tell_step() {
  local tries=5
  while [ "$tries" -gt 0 ] && kill -0 "$step" 2>/dev/null; do
    scancel --signal=TERM "$SLURM_JOB_ID.0" 2>/dev/null && return
    sleep 1 # it may be just starting
    tries=$((tries - 1))
  done
  [ "$tries" = 0 ] || return 0
  say "Slurm could not tell the work to stop"
}
# shellcheck disable=SC2317
pass_on() {
  told=1
  caught=1
  say "told to stop ($1)"
  [ -z "$step" ] || tell_step
}

# Puts the job back into the queue, to go on or to be held. Slurm ends this script when it does, so there is nothing to
# do but wait.
put_back() {
  local how=$1
  shift
  say "$*"
  scontrol "$how" "$SLURM_JOB_ID" || return 1
  trap - USR1 TERM
  sleep 300
  exit 75
}

# The phase, on every machine, until it ends; sets code. Since Slurm 22.05 srun does not take over --cpus-per-task, and a
# step of one task would get one processor. A machine that fails ends the others, which would wait for it.
run_step() {
  local result
  srun --ntasks="$GPUPLAN_NODES" --ntasks-per-node=1 --cpus-per-task="${SLURM_CPUS_PER_TASK:-$SLURM_CPUS_ON_NODE}" \
    --kill-on-bad-exit=1 --wait=0 "${on_machine[@]}" </dev/null &
  step=$!
  [ -z "$told" ] || tell_step
  # A signal ends `wait` early; it is asked again until it has the step's own exit code.
  while :; do
    caught=
    wait "$step"
    result=$?
    [ "$result" = 127 ] || code=$result
    [ -n "$caught" ] || break
  done
  step=
}

# What comes after the phase has ended with code.
end_job() {
  local state starts=1 spent=0
  if [ "$code" = 0 ] && [ -f "$GPUPLAN_RUNS/$slug/done" ]; then exit 0; fi
  case $code in
    6) stop 6 "the gate stays closed: jobs that need this one are cancelled" ;;
    78)
      put_back requeuehold "held, with the jobs that need it: see above what is missing, then:" \
        "scontrol release $SLURM_JOB_ID"
      stop 78 "could not be held; hand it in again when nothing is missing"
      ;;
  esac
  [ -n "$told" ] || [ "$code" = 0 ] || stop "$code" "failed with exit code $code"
  [ "$requeues" = 1 ] || stop 75 "stopped before its end; it cannot go on from a checkpoint, and begins anew when handed in: $hand_in"

  # A job that was cancelled is left alone: to put it back would bring it to life again.
  state=$(scontrol show job --oneliner "$SLURM_JOB_ID" 2>/dev/null | sed -n 's/.* JobState=\([A-Z_]*\).*/\1/p')
  [ "$state" = RUNNING ] || stop 75 "stopped, and not put back: Slurm says ${state:-nothing} of it"
  [ ! -f "$GPUPLAN_RUNS/$slug/starts" ] || read -r starts spent <"$GPUPLAN_RUNS/$slug/starts"
  if [ "$((spent + lead + 120))" -ge "$planned" ]; then
    put_back requeuehold "held: it has had the time of the plan ($spent of $planned s in $starts starts) and is not" \
      "done. To give it another run: scontrol release $SLURM_JOB_ID"
  else
    put_back requeue "back into the queue; it goes on in about two minutes"
  fi
  stop 75 "could not be put back; hand it in again and it goes on from its checkpoint"
}

run_job() {
  step=
  told=
  caught=
  trap 'pass_on USR1' USR1
  trap 'pass_on TERM' TERM
  [ -n "${SLURM_JOB_ID:-}" ] || stop 78 "this is a job for Slurm: $hand_in"
  [ -f "$script" ] || stop 78 "$script is not in $PWD; hand the job in from the folder that it lies in"
  if [ "$gpus" -gt 0 ] && [ "${SLURM_GPUS_ON_NODE:-$gpus}" -lt "$gpus" ]; then
    stop 78 "the plan uses $gpus GPUs of a machine and Slurm gave $SLURM_GPUS_ON_NODE; the batch would be another one"
  fi
  if [ "$SLURM_JOB_NUM_NODES" -lt "$nodes" ]; then
    stop 78 "the plan uses $nodes machines and Slurm gave $SLURM_JOB_NUM_NODES; the batch would be another one"
  fi

  export GPUPLAN_NODES="$SLURM_JOB_NUM_NODES"
  export GPUPLAN_RUNS="${GPUPLAN_RUNS:-$PWD/runs}"
  export GPUPLAN_GRACE="$((lead - 45))" # Slurm looks at its clock twice a minute
  export GPUPLAN_LIMIT=0                # Slurm's own limit takes its place
  export GPUPLAN_WAIT=60                # dependencies see to the order; this is for slow network file systems
  export GPUPLAN_MASTER_PORT="$((12000 + SLURM_JOB_ID % 20000))" # jobs on one machine must not meet; below ephemeral ports
  if [ "$GPUPLAN_NODES" -gt 1 ]; then
    read -r GPUPLAN_MASTER_ADDR < <(scontrol show hostnames "$SLURM_JOB_NODELIST")
    export GPUPLAN_MASTER_ADDR
  fi
  say "job $SLURM_JOB_ID on $SLURM_JOB_NODELIST, start $((${SLURM_RESTART_COUNT:-0} + 1))"
  run_step
  end_job
}
