# shellcheck shell=bash
# What vast/rent.sh and runpod/rent.sh share. They set:
#   kind, name, group       the folder of the script; names of the job and of what runs on the machine
#   limit, grace            seconds after which it is stopped, and that it has for a checkpoint then
#   variables               names that are told the machine where they are set here
#   required                "NAME: what": those that must be set
#   searches                in pairs: what a search is for, and the search
# shellcheck disable=SC2154  # those variables

self=$kind/$(basename "$0")

say() { printf '%s\n' "$*" >&2; }
stop() {
  say "$*"
  exit 1
}

check_required() {
  local entry word missing=0
  for entry in "${required[@]+"${required[@]}"}"; do
    word=${entry%%:*}
    [ -z "${!word:-}" ] || continue
    say "the variable $entry is not set"
    missing=1
  done
  [ "$missing" = 0 ] || stop "set it first: export NAME=... (a file has to lie in this folder, or be fetched)"
}

remote() { ssh -o StrictHostKeyChecking=accept-new -o BatchMode=yes -p "$port" "root@$host" "$@"; }

# Copies this folder and starts it there; it goes on when the connection ends. Variables come last: without them the
# machine starts nothing by itself.
send_and_start() {
  say "copying this folder to $host, port $port"
  remote "mkdir -p /workspace/$name"
  scp -q -o StrictHostKeyChecking=accept-new -o BatchMode=yes -P "$port" -r ./. "root@$host:/workspace/$name/"
  tell_and_start
}

# What was done by hand since goes along; runs there are newer than those that were fetched.
start_again() {
  local mark marks=()
  if remote "test -f /workspace/$name/variables.sh"; then
    for mark in runs/*/prepared runs/*/done; do [ ! -e "$mark" ] || marks+=("./$mark"); done
    say "copying this folder without its runs to $host, port $port"
    {
      find . -path ./runs -prune -o -type f -print0
      [ "${#marks[@]}" = 0 ] || printf '%s\0' "${marks[@]}"
    } |
      tar -cf - --null -T - | remote "tar -xf - -C /workspace/$name"
    tell_and_start
  else
    send_and_start
  fi
}

tell_and_start() {
  local word
  for word in "${variables[@]+"${variables[@]}"}"; do
    [ -z "${!word:-}" ] || printf 'export %s=%q\n' "$word" "${!word}"
  done | remote "umask 077 && cat >/workspace/$name/variables.sh"
  remote "cd /workspace/$name && nohup bash $kind/on_machine.sh $group $limit $grace >on_machine.txt 2>&1 </dev/null &"
}

follow() { remote "tail -n +1 -F /workspace/$name/on_machine.txt"; }

fetch() {
  scp -q -o StrictHostKeyChecking=accept-new -o BatchMode=yes -P "$port" -r "root@$host:/workspace/$name/runs" .
  say "fetched into runs/"
}
