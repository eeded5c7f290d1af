# What follows is a line for each phase: trial SLUG SCRIPT WATCHED SETTLE RESUMES [MOST]
#   WATCHED  folder of the run that fills before it is stopped    SETTLE   seconds to wait then
#   RESUMES  1: goes on from there                                 MOST     seconds after which it is stopped all the same
# It prints a line for each stage: PASS, FAIL or SKIP, what, and what was seen.
set -uo pipefail
export GPUPLAN_RUNS="${GPUPLAN_RUNS:-$PWD/runs}" GPUPLAN_SMOKE=1
mkdir -p "$GPUPLAN_RUNS"
patience=${GPUPLAN_SMOKE_SECONDS:-1800} # for each stage
passed=0 failed=0 skipped=0
tell() { # RESULT STAGE WORDS
  printf '%-4s  %-10s  %s\n' "$1" "$2" "${*:3}"
  case $1 in
    PASS) passed=$((passed + 1)) ;;
    FAIL) failed=$((failed + 1)) ;;
    *) skipped=$((skipped + 1)) ;;
  esac
}
rank=${GPUPLAN_NODE_RANK:-0}
elapsed() { echo "$((SECONDS - since)) s"; }
last_words() { grep -v '^$' "$1" 2>/dev/null | tail -n "${2:-1}"; }

# Until "$@" holds, or the work is over, or patience ends, which no queue tries; 1 then.
wait_for() {
  local end=$((SECONDS + patience))
  until "$@"; do
    if over || [ "$SECONDS" -ge "$end" ]; then
      "$@"
      return
    fi
    ! queued || end=$((SECONDS + patience))
    sleep "$pause"
  done
}
is_over() { over; }
started() { [ -f "$run/starts" ] && [ "$(cut -d ' ' -f 1 "$run/starts")" -ge "$1" ]; }
# Two things there, or one for some seconds: the first checkpoint is written.
filled() {
  local found
  found=$(find "$run/$watched" -mindepth 1 -maxdepth 2 2>/dev/null | head -n 3 | wc -l)
  if [ "$found" = 0 ]; then
    [ -n "$most" ] && [ "$((SECONDS - begun))" -ge "$most" ] # not from when it was handed in: it may have queued
    return
  fi
  [ "$found" -ge 2 ] || [ "$((SECONDS - seen))" -ge 4 ]
}
watch_it() {
  [ -n "$(find "$run/$watched" -mindepth 1 2>/dev/null | head -n 1)" ] || seen=$SECONDS
  filled
}
# Whether the log says, after the line that it had before, that the work went on.
went_on() {
  local rest first
  rest=$(tail -n "+$((lines + 1))" "$run/log.txt")
  # Of words those that say it outright: settings that are printed have "resume" too, and weights are loaded in any case.
  grep -Eiq '(resum|continu)(es|ed|ing) ([a-z]+ )*(from|at) ' <<<"$rest" && return 0
  first=$(grep -Eio '(step|iter|iteration)[^0-9a-z]{1,4}[0-9]+' <<<"$rest" | grep -Eo '[0-9]+' | head -n 1)
  [ "${first:-0}" -gt 1 ]
}

trial() {
  local slug=$1 script=$2 watched=$3 settle=$4 resumes=$5 most=${6:-} run since begun seen lines=0 code
  run=$GPUPLAN_RUNS/$slug
  echo "$slug"
  if [ -f "$run/done" ]; then
    tell SKIP "all" "done already; to try it again: rm -r '$run'"
    return 0
  fi
  since=$SECONDS
  seen=$SECONDS
  begin "$slug" "$script"
  if [ "$rank" = 0 ]; then
    if ! wait_for started 1; then
      tell FAIL setup "$(why_over): $(last_words "$said")"
      [ ! -f "$run/prepare-0.txt" ] || last_words "$run/prepare-0.txt" 5
      finish_off
      return 1
    fi
    tell PASS setup "variables, GPUs and packages, $(elapsed)"
  fi
  begun=$SECONDS
  if ! wait_for watch_it; then
    if over && [ "$(code_of)" = 0 ]; then
      tell PASS training "to its end, $(elapsed)"
      tell SKIP stop "it had ended before it could be stopped"
      judge
      return
    fi
    tell FAIL training "no checkpoint in $run/$watched after $(elapsed), $(why_over); see $run/log.txt:"
    last_words "$run/log.txt" 5
    finish_off
    return 1
  fi
  [ "$rank" != 0 ] || tell PASS training "data, model and the first steps, $(elapsed)"
  sleep "$settle"
  since=$SECONDS
  ask_to_stop
  wait_for is_over || true
  code=$(code_of)
  case $code in
    75)
      if grep -q '^ended:.* killed' "$run/summary.txt" 2>/dev/null && [ "$settle" = 0 ]; then
        tell FAIL stop "told to stop, it did not end, and was killed after $(elapsed): it would lose what it did since its" \
          "last checkpoint"
      else
        tell PASS stop "told to stop, it ended after $(elapsed)"
      fi
      ;;
    0)
      tell SKIP stop "it had ended before it could be stopped"
      [ "$rank" != 0 ] || judge
      return
      ;;
    *)
      tell FAIL stop "told to stop, $(why_over) after $(elapsed), expected exit code 75; see $run/log.txt:"
      last_words "$run/log.txt" 5
      finish_off
      return 1
      ;;
  esac
  since=$SECONDS
  [ ! -f "$run/log.txt" ] || lines=$(wc -l <"$run/log.txt")
  begin "$slug" "$script"
  wait_for is_over || true
  code=$(code_of)
  if [ "$rank" != 0 ]; then
    [ "$code" = 0 ] || return 1
    return 0
  fi
  case $code in
    0 | 6)
      if [ "$resumes" = 0 ]; then
        tell SKIP resume "started again it ran, from its beginning unless the command finds its own checkpoint"
      elif went_on; then
        tell PASS resume "started again it went on from its checkpoint, $(elapsed)"
      else
        tell FAIL resume "started again it ran, but $run/log.txt does not say that it went on from its checkpoint"
      fi
      judge
      ;;
    *)
      tell FAIL resume "started again, $(why_over); see $run/log.txt:"
      last_words "$run/log.txt" 5
      finish_off
      return 1
      ;;
  esac
}

# What gpuplan check made of the log: it reads it, and the gate opens.
judge() {
  local words
  if [ ! -s "$run/check.txt" ]; then
    tell SKIP check "gpuplan is not on this machine (PATH or GPUPLAN): the log was not checked"
    return 0
  fi
  words=$(grep -Eo '^ +steps +.*|^ +(throughput|step time) +[0-9].*' "$run/check.txt" | tr -s ' ' | head -n 1)
  if [ -f "$run/gate-closed" ]; then
    tell FAIL gate "closed: gpuplan check does not find what it needs in the log; see $run/check.txt:"
    last_words "$run/check.txt" 8
    return 1
  fi
  tell PASS check "gpuplan check reads the log${words:+:$words}"
  [ ! -f "$run/done" ] || tell PASS gate "open: what comes next may start"
}

finish() {
  printf '\n%s passed, %s failed, %s skipped; logs and results: %s\n' "$passed" "$failed" "$skipped" "$GPUPLAN_RUNS"
  [ "$failed" = 0 ] || exit 1
  exit 0
}
