# Hands the jobs in to Slurm and looks after them from here. A job that is stopped goes back into the queue by itself and
# starts again about two minutes later.
pause=1
if ! command -v sbatch >/dev/null; then
  echo "smoke.sh: sbatch is not here; run this where jobs are handed in to your cluster" >&2
  exit 78
fi
id=
asked=
handed_in=
said=$GPUPLAN_RUNS/submit.txt
begin() { # SLUG SCRIPT
  if [ -n "$asked" ]; then
    asked=
    return
  fi
  if [ "$2" = slurm/submit.sh ]; then
    if [ -z "$handed_in" ]; then
      bash slurm/submit.sh >"$said" 2>&1 || {
        cat "$said"
        exit 1
      }
    fi
    handed_in=1
    id=$(sed -n "s/^$1  job \([0-9]*\).*/\1/p" "$said")
  else
    id=$(sbatch --parsable "$2") || exit 1
    id=${id%%;*}
  fi
}
state_of() { squeue --noheader --jobs="$id" --format='%T %r' 2>/dev/null; }
over() {
  case $(state_of) in
    'PENDING JobHeld'*) return 0 ;;
    PENDING*) [ -n "$asked" ] && [ -f "$run/summary.txt" ] ;;
    RUNNING* | CONFIGURING* | COMPLETING* | SUSPENDED* | REQUEUE*) return 1 ;;
    *) return 0 ;;
  esac
}
queued() {
  case $(state_of) in
    'PENDING Resources' | 'PENDING Priority' | 'PENDING BeginTime' | 'PENDING Dependency' | 'PENDING QOS'* | 'PENDING Assoc'*) ;;
    *) return 1 ;;
  esac
}
code_of() {
  if [ -f "$run/done" ]; then echo 0
  elif [ -f "$run/gate-closed" ]; then echo 6
  elif [ -n "$asked" ] && [[ $(state_of) == PENDING* ]]; then echo 75
  else echo 1; fi
}
why_over() {
  local state
  state=$(state_of)
  echo "job $id: ${state:-ended}; what it printed: $(echo ./*-"$id".out)"
}
ask_to_stop() {
  asked=1
  scancel --batch --signal=USR1 "$id"
}
finish_off() { [ -z "$id" ] || scancel "$id" 2>/dev/null; }
trap 'finish_off; exit 75' INT TERM HUP
