# shellcheck shell=bash
# What the scripts of all phases do. Each sets what it is about and then calls run_phase:
#   phase, slug, job_slug   names                         nodes, gpus  machines, and GPUs of each that it uses
#   needs, elsewhere        slugs that must be done, here and on other machines
#   required                variables that must be set, "NAME: what"
#   manual                  what to do by hand first      human        1: somebody works; no program is known
#   gated                   1: others wait for its criteria of success
#   checked, criteria       1: there is something to hold the log against; it has to hold for the phase to be done
#   gpu_name, gpu_mib       of the plan, and the least memory that a GPU needs
#   disk                    what it writes, "PLACE|VARIABLE|MODEL|MIB|WHAT|MACHINES" (src/launch/script/disk.h)
#   log_machine             the machine whose log tells of the training: mostly 0
#   resumes                 1: goes on from its newest checkpoint
#   limit, grace            seconds after which it is stopped (0: never), and that it has for a checkpoint then
#   spot                    1: on a rented machine that its cloud may take back
#   dollars_per_hour, predicted_hours, predicted_dollars
#   after                   what comes next, for the last line; top: "." where this stands in the script of the folder
#   prepare, work           functions: what is done once on each machine; what runs
#   look_first, finish      functions, or none: what tells before a start that something is missing; what is done once after
#                           the work. set_up_first, 1: prepare may bring what look_first looks for
#
# Exit codes: 0 done, and the gate passed. 6 the gate is closed. 75 stopped to be started again. 78 something is missing.
# 124 stopped at its time limit.
# shellcheck disable=SC2154  # those variables

say() { printf '%s %s: %s\n' "$(date -u +%Y-%m-%dT%H:%M:%SZ)" "$slug" "$*" >&2; }
stop() {
  local code=$1
  shift
  say "$*"
  exit "$code"
}

lead() { [ "$GPUPLAN_NODE_RANK" = 0 ]; }

# Phases before this one. Those that run on other machines may still be running, if everybody sees the same runs.
check_needs() {
  local needed waited=0
  for needed in "${needs[@]}" "${elsewhere[@]}"; do
    while [ ! -f "$runs/$needed/done" ]; do
      [ ! -f "$runs/$needed/gate-closed" ] || stop 6 "$needed did not pass its gate: see $runs/$needed/check.txt"
      if [[ " ${elsewhere[*]} " != *" $needed "* ]] || [ "$waited" -ge "${GPUPLAN_WAIT:-86400}" ]; then
        stop 78 "$needed is not done ($runs/$needed/done is not there): run it first, or bring its runs folder here;" \
          "to go on without it: mkdir -p '$runs/$needed' && touch '$runs/$needed/done'"
      fi
      say "waiting for $needed, which runs on another machine ($runs/$needed/done does not exist yet)"
      sleep "$poll" &
      wait "$!"
      waited=$((waited + poll))
      [ "$stopping" = 0 ] || stop 75 "stopped while waiting for $needed"
    done
  done
}

# Somebody has to do something that no script can do.
check_manual() {
  [ -n "$manual" ] && [ ! -f "$GPUPLAN_RUN_DIR/prepared" ] || return 0
  say "manual step first: $manual"
  if [ -t 0 ]; then
    local answer
    read -r -p "Is it done? [y/N] " answer
    case $answer in
      [yY]*) touch "$GPUPLAN_RUN_DIR/prepared" && return 0 ;;
    esac
  fi
  stop 78 "when it is done: touch '$GPUPLAN_RUN_DIR/prepared' and start again"
}

check_required() {
  local entry name missing=0
  for entry in "${required[@]}"; do
    name=${entry%%:*}
    [ -z "${!name:-}" ] || continue
    say "the variable $entry is not set"
    missing=1
  done
  [ "$missing" = 0 ] || stop 78 "set it and start again: export NAME=..."
}

# A gate is read by `gpuplan check`. Without it hours would be paid for, and nothing could start after them.
check_gate() {
  [ "$gated" = 1 ] && [ "${GPUPLAN_GATE:-check}" != hand ] || return 0
  local program=${GPUPLAN:-gpuplan}
  command -v "$program" >/dev/null ||
    stop 78 "gpuplan is not on this machine ($program), and what comes after this phase waits for what it says of the" \
      "log: put it on the PATH, or set GPUPLAN to where it lies; GPUPLAN_GATE=hand leaves the gate to you"
  "$program" --version >/dev/null 2>&1 ||
    stop 78 "$program does not run here, and what comes after this phase waits for what it says of the log" \
      "(GPUPLAN_GATE=hand leaves the gate to you)"
  [ -r "$here/plan.json" ] ||
    stop 78 "$here/plan.json is not here, which gpuplan check holds the log against: bring the whole folder"
}

# GPUs of this machine, one a line: NAME, MEMORY in MiB where it is told. Fails where nothing here lists them.
list_gpus() {
  if command -v nvidia-smi >/dev/null; then
    local one
    one=$(nvidia-smi --query-gpu=name,memory.total --format=csv,noheader,nounits | head -n 1)
    nvidia-smi --list-gpus | awk -v one="$one" '/^GPU / { print one }'
  elif command -v rocm-smi >/dev/null; then
    rocm-smi --showmeminfo vram --csv | awk -F, '/^card/ { printf "AMD GPU, %d\n", $2 / 1048576 }'
  elif command -v amd-smi >/dev/null; then
    amd-smi list --csv | awk -F, '/^[0-9]/ { print "AMD GPU" }'
  else
    python3 -c 'import torch
for at in range(torch.cuda.device_count()):
    gpu = torch.cuda.get_device_properties(at)
    print(f"{gpu.name}, {gpu.total_memory >> 20}")
raise SystemExit(torch.cuda.device_count() == 0)' 2>/dev/null
  fi
}

# The batch is right for the GPUs of the plan, and for no other number of them.
check_gpus() {
  [ "$gpus" -gt 0 ] || return 0
  local all seen variable=CUDA_VISIBLE_DEVICES other visible name mib
  if ! all=$(list_gpus); then
    say "no nvidia-smi, rocm-smi, amd-smi or torch here: cannot check that this machine has $gpus GPUs"
    return 0
  fi
  # The one that is set: AMD's HIP passes over CUDA's where it has its own.
  for other in ROCR_VISIBLE_DEVICES HIP_VISIBLE_DEVICES CUDA_VISIBLE_DEVICES; do
    [ -z "${!other:-}" ] || variable=$other
  done
  visible=${!variable:-}
  if [ -n "$visible" ]; then seen=$(tr ',' '\n' <<<"$visible" | grep -c .); else seen=$(grep -c . <<<"$all"); fi
  [ "$seen" -ge "$gpus" ] ||
    stop 78 "this machine shows $seen GPUs and the plan uses $gpus; the batch would be another one"
  IFS=, read -r name mib <<<"$all"
  mib=${mib// /}
  if [[ "$mib" =~ ^[0-9]+$ ]] && [ "$mib" -lt "$gpu_mib" ]; then
    stop 78 "this machine's $name has $mib MiB and the work needs $gpu_mib: the plan is for $gpu_name"
  fi
  say "GPUs: $seen x $name; the plan is for $gpu_name"
  # Programs take all that they see: the batch would be another one, on GPUs that are somebody else's.
  [ "$seen" -eq "$gpus" ] || export "$variable=$(first_gpus "$visible")"
}

# The first ones of a list, or of all where there is none, as many as the plan uses.
first_gpus() {
  if [ -n "$1" ]; then tr ',' '\n' <<<"$1"; else seq 0 "$((gpus - 1))"; fi | head -n "$gpus" | paste -sd, -
}

# Room for what the plan writes, before anything is fetched: a disk that is full ends the work hours later. What is there
# already needs none.
check_disk() {
  [ "${GPUPLAN_DISK:-1}" != 0 ] || return 0
  local entry place variable model mib what writers folder at left
  local cache=${HF_HOME:-$HOME/.cache/huggingface}
  local -A wanted=() free=() parts=() shown=()
  for entry in "${disk[@]}"; do
    IFS='|' read -r place variable model mib what writers <<<"$entry"
    # Where machines have runs of their own, nobody waits for what others do (GPUPLAN_WAIT=0).
    [ "${GPUPLAN_WAIT:-}" = 0 ] || mib=$((mib * ${writers:-1}))
    case $place in
      run) folder=$GPUPLAN_RUN_DIR ;;
      nanochat) folder=${NANOCHAT_BASE_DIR:-$HOME/.cache/nanochat} ;;
      *) folder=$cache ;;
    esac
    if [ "$place" != run ]; then
      [ ! -f "$GPUPLAN_RUN_DIR/starts" ] || continue # an earlier start fetched it
      [ -z "$variable" ] || [ -z "${!variable:-}" ] || [ ! -e "${!variable}" ] || continue
      [ -z "$model" ] || [ ! -d "${HF_HUB_CACHE:-$cache/hub}/models--${model//\//--}" ] || continue
    fi
    while [ ! -d "$folder" ]; do folder=$(dirname "$folder"); done
    # By the disk that it lies on. What tells no room (some mounted buckets) is let alone.
    at=$(stat -c %d "$folder" 2>/dev/null)
    left=$(df -k --output=avail "$folder" 2>/dev/null | tail -n 1)
    [[ "$at" =~ ^[0-9]+$ && "$left" =~ ^\ *[1-9][0-9]*$ ]] || continue
    if [ -z "${free[$at]:-}" ]; then
      free[$at]=$((left / 1024)) wanted[$at]=0 shown[$at]=$folder
    fi
    wanted[$at]=$((wanted[$at] + mib))
    parts[$at]="${parts[$at]:+${parts[$at]}, }$what $((mib * 1048576 / 1000000000)) GB"
  done
  for at in "${!wanted[@]}"; do
    left=${free[$at]}
    # A start before this one has left checkpoints.
    [ "$at" != "$(stat -c %d "$GPUPLAN_RUN_DIR")" ] || left=$((left + $(du -sm "$GPUPLAN_RUN_DIR" | cut -f 1)))
    [ "$left" -ge "${wanted[$at]}" ] ||
      stop 78 "the disk of ${shown[$at]} has $((left * 1048576 / 1000000000)) GB for what the plan writes there" \
        "(${parts[$at]}): GPUPLAN_RUNS and HF_HOME name folders on other disks; GPUPLAN_DISK=0 starts it all the same"
  done
}

# Once on each machine and for each Python, and again when the lines have changed or what they install is gone: a home on a
# disk of its own outlives the image of the machine.
prepare_machine() {
  local folder mark code python
  folder=${XDG_CACHE_HOME:-$HOME/.cache}/gpuplan
  python=$(python3 -c 'import sys; print(sys.prefix, *sys.version_info[:2])' 2>/dev/null)
  mark=$folder/$job_slug-$slug-$(uname -n)-$({ declare -f prepare; echo "$python"; } | cksum | tr -cd '0-9')
  [ ! -f "$mark" ] || ! packages_there || return 0
  mkdir -p "$folder"
  say "preparing this machine"
  # Left of ||, set -e would have no effect.
  (set -e; prepare) </dev/null >>"$GPUPLAN_RUN_DIR/prepare-$GPUPLAN_NODE_RANK.txt" 2>&1
  code=$?
  [ "$code" = 0 ] ||
    stop 78 "could not prepare this machine: see $GPUPLAN_RUN_DIR/prepare-$GPUPLAN_NODE_RANK.txt"
  touch "$mark"
}

# Whether every package that prepare gives to pip by its name is installed. What cannot be asked is taken to be there.
packages_there() {
  local code
  declare -f prepare | python3 -c '
import re, shlex, sys
from importlib.metadata import PackageNotFoundError, version
words = shlex.shlex(sys.stdin, posix=True, punctuation_chars=True)
words.whitespace_split = True
asked = False
for word in words:
    if word in ("pip", "--quiet"):
        asked = word == "--quiet" and before == "install"
    elif set(word) <= set("();<>|&"):
        asked = False
    elif asked and before not in ("--index-url", "--extra-index-url") and re.fullmatch("[A-Za-z0-9][^/$]*", word):
        try:
            version(re.match("[A-Za-z0-9._-]+", word).group())
        except PackageNotFoundError:
            sys.exit(9)
    before = word' 2>/dev/null
  code=$?
  [ "$code" != 9 ]
}

# Where pip may not write to the folder of Python it installs for the user, whose programs may lie beside the PATH.
see_programs() {
  local base
  base=$(python3 -c 'import site; print(site.getuserbase() if site.ENABLE_USER_SITE else "")' 2>/dev/null)
  [ -d "${base:-/nonexistent}/bin" ] && [[ ":$PATH:" != *":$base/bin:"* ]] || return 0
  export PATH="$base/bin:$PATH"
}

# What programs look for before they start: models that have to be fetched, keys.
look() {
  declare -F look_first >/dev/null || return 0
  local code
  (set -e; look_first) </dev/null >&2
  code=$?
  [ "$code" = 0 ] || stop 78 "put that right and start again"
}

# What comes once after the work. The model is there by then: what fails is done again, and not the work.
finish_up() {
  declare -F finish >/dev/null && [ ! -f "$GPUPLAN_RUN_DIR/finished-up" ] || return 0
  local code
  (set -e; finish) </dev/null >>"$GPUPLAN_RUN_DIR/finish.txt" 2>&1
  code=$?
  [ "$code" = 0 ] ||
    stop 1 "the work is done, and what follows it failed: see $GPUPLAN_RUN_DIR/finish.txt; started again only that is tried"
  touch "$GPUPLAN_RUN_DIR/finished-up"
}

# Runs "$2..." in $1 seconds, unless called off before.
timer() {
  local seconds=$1
  shift
  set -m
  (sleep "$seconds" && "$@") </dev/null >/dev/null 2>&1 9>&- &
  timer_id=$!
  set +m
}
call_off() { [ -z "$1" ] || kill -TERM -- "-$1" 2>/dev/null; }

poll=${GPUPLAN_POLL:-30} # seconds between looks at a file that somebody else makes
stopping=0
late=0
work_id=
killer_id=
asked_to_stop() {
  stopping=1
  [ -n "$work_id" ] && [ -z "$killer_id" ] || return 0
  [ ! -e "$GPUPLAN_RUN_DIR/taken-back" ] || say "the cloud takes this machine back"
  say "stopping: $grace s to end, and to write a checkpoint where the program does so"
  kill -TERM -- "-$work_id" 2>/dev/null
  timer "$grace" kill -KILL -- "-$work_id"
  killer_id=$timer_id
}
too_late() {
  late=1
  asked_to_stop
}
# Also when this script is gone and its work is not.
limit_reached() { kill -USR2 "$$" 2>/dev/null || kill -TERM -- "-$1"; }

# Clouds tell a spot machine half a minute to two minutes before that they take it back, in its metadata alone: AWS in
# spot/instance-action, Google in instance/preempted, Azure in its scheduled events.
metadata() {
  curl --silent --fail --noproxy '*' --max-time 2 --header "$1" "${@:3}" \
    "${GPUPLAN_METADATA:-http://169.254.169.254}/$2" 2>/dev/null
}
of_google() { metadata 'Metadata-Flavor: Google' computeMetadata/v1/instance/preempted; }
of_azure() { metadata 'Metadata: true' 'metadata/scheduledevents?api-version=2020-07-01'; }
key_of_aws() { metadata 'X-aws-ec2-metadata-token-ttl-seconds: 60' latest/api/token --request PUT; }
of_aws() { metadata "X-aws-ec2-metadata-token: $(key_of_aws)" latest/meta-data/spot/instance-action; }
# As if somebody had told the script to stop. Where none of them answers nothing is watched.
heed_notice() {
  local asked word
  if of_google >/dev/null; then asked=of_google word=TRUE
  elif of_azure >/dev/null; then asked=of_azure word='"Preempt"'
  elif key_of_aws >/dev/null; then asked=of_aws word='"action"'
  else return 0; fi
  until "$asked" | grep -q "$word"; do sleep "${GPUPLAN_NOTICE_POLL:-5}"; done
  touch "$GPUPLAN_RUN_DIR/taken-back"
  kill -TERM "$$"
}

# Watches the GPUs in a file that `gpuplan check` reads beside the log.
watch_gpus() {
  watcher_id=
  [ "$gpus" -gt 0 ] && command -v nvidia-smi >/dev/null || return 0
  nvidia-smi --query-gpu=timestamp,index,name,utilization.gpu,memory.used,memory.total,power.draw,temperature.gpu \
    --format=csv -l 30 >>"$GPUPLAN_RUN_DIR/gpus-$GPUPLAN_NODE_RANK.csv" 2>/dev/null 9>&- &
  watcher_id=$!
}

# Runs the work in a process group of its own, so that a signal reaches all of it, but not what keeps the log. Sets
# code.
run_work() {
  local limit_id='' tee_id='' notice_id=''
  watch_gpus
  rm -f "$GPUPLAN_RUN_DIR/taken-back"
  if lead; then
    # Slurm may tell every process of a job to stop: without this one the work could not even say that it stops.
    # Nor is a terminal that was closed a reason to lose the log.
    exec 3> >(trap '' TERM USR1 USR2 INT HUP; exec tee -a -p "$log" 9>&-)
    tee_id=$!
  else
    exec 3>>"$log"
  fi
  set -m
  (set -e; work) </dev/null >&3 2>&1 3>&- &
  work_id=$!
  set +m
  exec 3>&-
  if lead && [ "$limit" -gt 0 ]; then
    timer "$((limit > kept + 60 ? limit - kept : 60))" limit_reached "$work_id"
    limit_id=$timer_id
  fi
  if [ "$spot" = 1 ] && command -v curl >/dev/null; then
    timer 0 heed_notice
    notice_id=$timer_id
  fi
  [ "$stopping" = 0 ] || asked_to_stop
  # A signal ends `wait` early.
  while :; do
    wait "$work_id"
    code=$?
    kill -0 "$work_id" 2>/dev/null || break
  done
  # It has ended when nothing is left of its group: workers may still be writing a checkpoint.
  if kill -0 -- "-$work_id" 2>/dev/null; then
    if [ -z "$killer_id" ]; then
      kill -TERM -- "-$work_id" 2>/dev/null
      timer "$grace" kill -KILL -- "-$work_id"
      killer_id=$timer_id
    fi
    while kill -0 -- "-$work_id" 2>/dev/null; do sleep 0.2; done
  fi
  work_id=
  call_off "$killer_id"
  call_off "$limit_id"
  call_off "$notice_id"
  [ -z "$watcher_id" ] || kill "$watcher_id" 2>/dev/null
  [ -z "$tee_id" ] || wait "$tee_id"
}

# Somebody works on the machine and says when it is done.
wait_for_somebody() {
  say "manual phase (no command in the job); when it is done: touch '$GPUPLAN_RUN_DIR/finished'"
  while [ ! -f "$GPUPLAN_RUN_DIR/finished" ] && [ "$stopping" = 0 ]; do
    sleep "$poll" &
    wait "$!"
  done
  code=0
}

summary() {
  local ended=$1 what=$2
  {
    printf 'phase:      %s\n' "$phase"
    printf 'ended:      %s, %s\n' "$ended" "$what"
    printf 'starts:     %s\n' "$starts"
    printf 'hours:      %s in all starts (planned %s)\n' "$(hours "$spent")" "$predicted_hours"
    printf 'dollars:    %s at $%s/h (planned %s)\n' \
      "$(awk -v s="$spent" -v p="$dollars_per_hour" 'BEGIN { printf "%.2f", s / 3600 * p }')" "$dollars_per_hour" \
      "$predicted_dollars"
    printf 'GPUs:       %s x %s machines\n' "$gpus" "$nodes"
    printf 'log:        %s\n' "$log"
    printf 'checkpoints: %s\n' "$GPUPLAN_CHECKPOINTS"
  } >"$GPUPLAN_RUN_DIR/summary.txt.new"
  mv "$GPUPLAN_RUN_DIR/summary.txt.new" "$GPUPLAN_RUN_DIR/summary.txt"
}
hours() { awk -v s="$1" 'BEGIN { printf "%.2f", s / 3600 }'; }

# Whether what needs this phase may start. Without criteria the check only tells.
pass_gate() {
  local program=${GPUPLAN:-gpuplan} result=0 logs=("$log")
  if ! command -v "$program" >/dev/null; then
    [ "$gated" = 1 ] || return 0
    stop 6 "the work has ended and its gate is yours, gpuplan is not on this machine: read $log, then" \
      "touch '$GPUPLAN_RUN_DIR/done'; or put gpuplan on the PATH (or set GPUPLAN) and start again"
  fi
  [ "$checked" = 1 ] || return 0
  # The other machine's log is here where all machines see the same runs, and else has to be brought.
  if [ "$log_machine" != 0 ]; then
    logs=("$GPUPLAN_RUN_DIR/log-$log_machine.txt")
    if [ ! -s "${logs[0]}" ]; then
      [ "$criteria" = 1 ] || return 0
      stop 6 "the losses stand in log-$log_machine.txt of machine $log_machine: copy it to ${logs[0]} and start again;" \
        "only the gate is checked then"
    fi
  fi
  [ ! -s "$GPUPLAN_RUN_DIR/gpus-0.csv" ] || logs+=("$GPUPLAN_RUN_DIR/gpus-0.csv")
  "$program" check "${logs[@]}" --plan "$here/plan.json" --phase "$phase" >"$GPUPLAN_RUN_DIR/check.txt" 2>&1 || result=$?
  cat "$GPUPLAN_RUN_DIR/check.txt" >&2
  if [ "$result" = 0 ]; then
    printf 'check:      passed\n' >>"$GPUPLAN_RUN_DIR/summary.txt"
    return 0
  fi
  printf 'check:      not passed, see check.txt\n' >>"$GPUPLAN_RUN_DIR/summary.txt"
  [ "$criteria" = 1 ] || return 0
  touch "$GPUPLAN_RUN_DIR/gate-closed"
  stop 6 "the criteria of success are not met, and what needs this phase does not start ($GPUPLAN_RUN_DIR/check.txt" \
    "says why)"
}

run_phase() {
  here=$(cd "$(dirname "${BASH_SOURCE[0]}")/${top:-..}" && pwd)
  export GPUPLAN_NODES="${GPUPLAN_NODES:-1}" GPUPLAN_NODE_RANK="${GPUPLAN_NODE_RANK:-0}"
  export GPUPLAN_MASTER_ADDR="${GPUPLAN_MASTER_ADDR:-127.0.0.1}" GPUPLAN_MASTER_PORT="${GPUPLAN_MASTER_PORT:-29500}"
  export GPUPLAN_GPUS="$gpus"
  mkdir -p "${GPUPLAN_RUNS:-$here/runs}"
  runs=$(cd "${GPUPLAN_RUNS:-$here/runs}" && pwd)
  export GPUPLAN_RUN_DIR="$runs/$slug" GPUPLAN_FILES="$here/phases/$slug"
  export GPUPLAN_CHECKPOINTS="$GPUPLAN_RUN_DIR/checkpoints"
  mkdir -p "$GPUPLAN_RUN_DIR" "$GPUPLAN_CHECKPOINTS"
  log=$GPUPLAN_RUN_DIR/log.txt
  lead || log=$GPUPLAN_RUN_DIR/log-$GPUPLAN_NODE_RANK.txt
  grace=${GPUPLAN_GRACE:-$grace}
  limit=${GPUPLAN_LIMIT:-$limit}
  trap asked_to_stop TERM USR1 INT HUP
  trap too_late USR2

  cd "${GPUPLAN_CODE:-.}" || stop 78 "GPUPLAN_CODE=$GPUPLAN_CODE is no folder; it is the one that the commands start from"

  if [ -f "$GPUPLAN_RUN_DIR/done" ]; then
    say "done already; to run it again, remove $GPUPLAN_RUN_DIR/done"
    exit 0
  fi
  exec 9>>"$GPUPLAN_RUN_DIR/lock-$GPUPLAN_NODE_RANK"
  flock -n 9 || stop 78 "it runs already, or what an earlier start left behind still does (fuser $GPUPLAN_RUN_DIR/lock-*)"
  # The work of this phase takes the first machines; the others have nothing to do in it.
  [ "$GPUPLAN_NODE_RANK" -lt "$nodes" ] || exit 0
  [ "$GPUPLAN_NODES" -ge "$nodes" ] ||
    stop 78 "the plan uses $nodes machines and there are $GPUPLAN_NODES (GPUPLAN_NODES); the batch would be another one"
  if lead; then
    check_needs
    check_manual
  fi
  local started now before kept lost=''
  if lead && [ -f "$GPUPLAN_RUN_DIR/ended" ]; then
    say "the work is finished: only its gate is checked (to run it again, remove $GPUPLAN_RUN_DIR/ended)"
    rm -f "$GPUPLAN_RUN_DIR/gate-closed"
    finish_up
    pass_gate
    touch "$GPUPLAN_RUN_DIR/done"
    exit 0
  fi
  check_required
  check_gpus
  check_disk
  if lead; then check_gate; fi
  [ "$set_up_first" = 1 ] || look
  prepare_machine
  see_programs
  [ "$set_up_first" = 0 ] || look
  [ "$stopping" = 0 ] || stop 75 "stopped before the work began"

  started=$(date +%s)
  starts=1
  before=0
  if lead; then
    rm -f "$GPUPLAN_RUN_DIR/gate-closed"
    [ ! -f "$GPUPLAN_RUN_DIR/starts" ] || read -r starts before <"$GPUPLAN_RUN_DIR/starts"
    [ ! -f "$GPUPLAN_RUN_DIR/starts" ] || starts=$((starts + 1))
    printf '%s %s\n' "$starts" "$before" >"$GPUPLAN_RUN_DIR/starts"
  fi
  # The limit is of work that counts: what begins anew has all of it again.
  kept=$([ "$resumes" = 1 ] && echo "$before" || echo 0)
  [ "$starts" = 1 ] || [ "$resumes" = 1 ] ||
    say "start $starts: its command does not use {checkpoints}, so it starts from scratch unless the program finds its own"
  say "start $starts"
  code=0
  if [ "$human" = 1 ]; then
    if lead; then wait_for_somebody; fi
  else
    run_work
  fi
  lead || exit "$([ "$stopping" = 1 ] && echo 75 || echo "$code")"
  now=$(date +%s)
  spent=$((before + now - started))
  printf '%s %s\n' "$starts" "$spent" >"$GPUPLAN_RUN_DIR/starts"
  now=$(date -u +%Y-%m-%dT%H:%M:%SZ)
  if [ "$late" = 1 ]; then
    summary "$now" "stopped at its time limit"
    [ "$resumes" = 1 ] || lost=" What it did is lost: it begins anew, unless the program finds its own checkpoints."
    stop 124 "stopped after $(hours "$((kept + spent - before))") h: its limit is $(hours "$limit") h, well above the plan.$lost" \
      "To start it all the same: GPUPLAN_LIMIT=0"
  fi
  if [ "$stopping" = 1 ]; then
    # 137: by SIGKILL.
    if [ "$code" = 137 ]; then
      summary "$now" "killed, since it had not ended $grace s after it was told to, to be started again"
      stop 75 "killed: it had not ended $grace s after it was told to; started again it begins at what it saved before"
    fi
    summary "$now" "stopped, to be started again"
    [ "$resumes" = 1 ] || stop 75 "stopped; started again it begins anew, unless the program finds its own checkpoints"
    stop 75 "stopped; started again it goes on"
  fi
  if [ "$code" -ne 0 ]; then
    summary "$now" "failed with exit code $code"
    # What the log says of it: out of memory, values that are no numbers, ...
    (gated=0; criteria=0; checked=1; pass_gate) || true
    case $code in 6 | 75 | 78 | 124) code=1 ;; esac # these mean something else here
    stop "$code" "the work failed with exit code $code: see $log"
  fi
  summary "$now" "the work has ended"
  touch "$GPUPLAN_RUN_DIR/ended"
  finish_up
  pass_gate
  touch "$GPUPLAN_RUN_DIR/done"
  say "done in $(hours "$spent") h (planned $predicted_hours); summary: $GPUPLAN_RUN_DIR/summary.txt${after:+; next: $after}"
}
