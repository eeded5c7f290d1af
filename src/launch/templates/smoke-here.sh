# Runs the scripts on this machine.
pause=0.1
id=
ended=
begin() {
  ended=
  said=$GPUPLAN_RUNS/$1.said-$rank.txt
  bash "$2" >>"$said" 2>&1 &
  id=$!
}
over() {
  [ -z "$ended" ] || return 0
  ! kill -0 "$id" 2>/dev/null || return 1
  wait "$id"
  ended=$?
}
queued() { false; }
code_of() { echo "${ended:-}"; }
why_over() { [ -n "$ended" ] && echo "it ended with exit code $ended" || echo "it still runs"; }
ask_to_stop() { kill -TERM "$id" 2>/dev/null; }
# Nothing goes on after a stage that failed.
finish_off() {
  [ -z "$ended" ] || return 0
  ask_to_stop
  wait "$id" 2>/dev/null
  ended=$?
}
# Who stops the trial stops what it runs.
trap '[ -z "$id" ] || finish_off; exit 75' INT TERM HUP
