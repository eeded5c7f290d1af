# What follows uses three kinds of lines, each for a phase:
#   here SLUG                          it runs on this machine, now
#   job SLUG HELD NEEDED...            it is handed in; HELD: what has to be done by hand before it may start, or ''
#   later SLUG NEEDED...               somebody runs it on this machine when it is its turn
# Phases that are done already are left out, so after a failure it is enough to run this script again.
set -euo pipefail
if [ -n "${GPUPLAN_CODE:-}" ]; then
  GPUPLAN_CODE=$(cd "$GPUPLAN_CODE" && pwd)
  export GPUPLAN_CODE
fi
if [ -n "${GPUPLAN_RUNS:-}" ]; then
  mkdir -p "$GPUPLAN_RUNS"
  GPUPLAN_RUNS=$(cd "$GPUPLAN_RUNS" && pwd)
fi
cd "$(dirname "${BASH_SOURCE[0]}")/.."
export GPUPLAN_RUNS="${GPUPLAN_RUNS:-$PWD/runs}"

case ${1:-} in
  -h | --help)
    echo "usage: slurm/submit.sh [OPTION OF SBATCH]...   such as --test-only, --partition=NAME, --reservation=NAME"
    exit 0
    ;;
esac
if ! command -v sbatch >/dev/null; then
  echo "slurm/submit.sh: sbatch is not here; run this where jobs are handed in to your cluster" >&2
  exit 78
fi

options=("$@")
test_only=
for option in "$@"; do
  [ "$option" != --test-only ] || test_only=1
done
declare -A job_of=() # of a phase
jobs=()
by_hand=()

# Jobs inherit what is set here, and would fail after hours in the queue.
missing=0
for entry in "${required[@]+"${required[@]}"}"; do
  name=${entry%%:*}
  if [ -n "${!name:-}" ] || [ -n "$test_only" ]; then continue; fi
  echo "slurm/submit.sh: the variable $entry is not set" >&2
  missing=1
done
if [ "$missing" = 1 ]; then
  echo "slurm/submit.sh: set it and start again: export NAME=..." >&2
  exit 78
fi

is_done() { [ -f "$GPUPLAN_RUNS/$1/done" ]; }

# All or nothing: jobs whose successors were refused would run for nobody.
take_back() {
  local code=$?
  [ "$code" != 0 ] && [ "${#jobs[@]}" -gt 0 ] || return 0
  scancel "${jobs[@]}"
  echo "slurm/submit.sh: taken back, since not all were accepted: ${jobs[*]}" >&2
}
trap take_back EXIT

here() {
  if is_done "$1"; then
    echo "$1  done already"
  elif [ -n "$test_only" ]; then
    echo "$1  runs here"
  else
    echo "$1  runs here, now"
    bash "phases/$1.sh"
  fi
}

job() {
  local slug=$1 held=$2 needed waits=afterok id
  local asked=(--kill-on-invalid-dep=yes)
  shift 2
  if is_done "$slug"; then
    echo "$slug  done already"
    return
  fi
  if [ -n "$test_only" ]; then
    sbatch "${options[@]}" "slurm/$slug.sbatch"
    return
  fi
  for needed in "$@"; do
    [ -z "${job_of[$needed]:-}" ] || waits+=:${job_of[$needed]}
  done
  [ "$waits" = afterok ] || asked+=("--dependency=$waits")
  [ -z "$held" ] || asked+=(--hold)
  id=$(sbatch --parsable "${asked[@]}" "${options[@]}" "slurm/$slug.sbatch")
  id=${id%%;*} # with the name of the cluster behind it where there are several
  job_of[$slug]=$id
  jobs+=("$id")
  [ "$waits" = afterok ] && echo "$slug  job $id" || echo "$slug  job $id, when these are done: ${waits#afterok:}"
  [ -z "$held" ] || by_hand+=("$held, then: scontrol release $id")
}

later() {
  local slug=$1 after
  shift
  after=$*
  is_done "$slug" || by_hand+=("${after:+when done are ${after// /, }: }bash phases/$slug.sh")
}

finish() {
  [ -z "$test_only" ] || return 0
  if [ "${#jobs[@]}" -gt 0 ]; then
    local list
    list=$(IFS=, && echo "${jobs[*]}")
    printf '\n%s\n' "where they are:   squeue --jobs=$list" "what they print:  tail -F ./*-${jobs[0]}.out" \
      "stop them all:    scancel ${jobs[*]}" "checkpoint now:   scancel --batch --signal=USR1 ${jobs[0]}"
  fi
  [ "${#by_hand[@]}" = 0 ] || printf '\nby hand:\n'
  local step
  for step in "${by_hand[@]}"; do printf '  %s\n' "$step"; done
}
