#!/usr/bin/env bash
# Whether what a phase needs from outside is to be had, before hours are paid for: access.sh [MODEL...]
# Asks the Hugging Face hub for each model that is no folder here (MODEL_VARIABLES: by which they are named), and looks at DATA, EVAL_DATA, CHAT_TEMPLATE, REPORT_TO and
# PUSH_TO. Exit code: 78 where something is missing, which is told; what cannot be asked is no reason to stop.
set -u
hub=${HF_ENDPOINT:-https://huggingface.co}
home=${HF_HOME:-${HOME:-/nonexistent}/.cache/huggingface}
token=${HF_TOKEN:-}
[ -n "$token" ] || [ ! -r "$home/token" ] || token=$(cat "$home/token")
missing=0
wrong() {
  echo "$*" >&2
  missing=1
}

# What the hub answers to the address: 200 and the like, "" where nobody can be asked.
answer() {
  local code
  [ "${HF_HUB_OFFLINE:-0}" = 0 ] && command -v curl >/dev/null || return 0
  # The token stands in no list of processes.
  code=$(printf '%s' "${token:+header = \"Authorization: Bearer $token\"}" |
    curl --config - --silent --output /dev/null --head --max-time 20 --write-out '%{http_code}' "$hub/$1") || code=000
  if [ "$code" = 000 ]; then
    echo "$hub cannot be reached from here: it is not known whether $1 can be fetched"
  else
    echo "$code" >&3
  fi
}
ask() { { code=$(answer "$1" 3>&1 1>&4); } 4>&1; }

# A name of the hub: not of a file or folder here.
on_hub() { [ ! -e "$1" ] && [[ "$1" =~ ^[A-Za-z0-9][A-Za-z0-9._-]*/[A-Za-z0-9._-]+$ ]]; }

check_model() {
  on_hub "$1" || return 0
  # What was fetched before needs nobody's leave.
  compgen -G "${HF_HUB_CACHE:-$home/hub}/models--${1//\//--}/snapshots/*/config.json" >/dev/null && return 0
  ask "$1/resolve/main/config.json"
  case $code in
    401 | 403)
      if [ -z "$token" ]; then
        wrong "the model $1 is gated, or there is none of that name: open https://huggingface.co/$1, accept its licence, and" \
          "export HF_TOKEN=... (https://huggingface.co/settings/tokens)"
      else
        wrong "HF_TOKEN does not open the model $1: open https://huggingface.co/$1 with the account of that token and accept" \
          "its licence; if that is done, the token lacks the right to read gated models"
      fi
      ;;
    404) wrong "the hub has no model $1 with a config.json: set $variable to the right name, or to a folder with the model" ;;
  esac
}

check_rows() {
  local name=${!1:-} code
  [ -n "$name" ] && [ ! -e "$name" ] && [[ "$name" != *://* ]] || return 0
  # Files by their endings, and what no data set can be called.
  if [[ "$name" =~ \.(jsonl|json|ndjson|parquet|txt|md|csv|bin)(\.gz|\.zst|\.xz)?$ ]] ||
    ! [[ "$name" =~ ^[A-Za-z0-9._-]+(/[A-Za-z0-9._-]+)?(:[^/[:space:]]+)?$ ]]; then
    wrong "$1: $name is not here"
    return
  fi
  on_hub "${name%%:*}" || return 0
  ask "api/datasets/${name%%:*}"
  case $code in
    401 | 403 | 404)
      wrong "$1: $name is no file or folder here, and no data set of the hub that can be read: expected a path, owner/name or" \
        "owner/name:split; for one that is not public export HF_TOKEN=..."
      ;;
  esac
}

check_reports() {
  local name
  for name in ${REPORT_TO//,/ }; do
    case $name in
      none | tensorboard) ;;
      wandb)
        [ -n "${WANDB_API_KEY:-}" ] || grep -qs 'api\.wandb\.ai' "${NETRC:-${HOME:-/nonexistent}/.netrc}" ||
          [[ "${WANDB_MODE:-}" =~ ^(offline|disabled)$ ]] ||
          wrong "REPORT_TO=wandb needs a key: export WANDB_API_KEY=... (https://wandb.ai/authorize), or WANDB_MODE=offline"
        ;;
      *) wrong "REPORT_TO: $name is not known; expected none, wandb or tensorboard, or both with a comma between" ;;
    esac
  done
}

check_push() {
  [[ "$PUSH_TO" =~ ^[A-Za-z0-9][A-Za-z0-9._-]*/[A-Za-z0-9._-]+$ ]] || wrong "PUSH_TO: $PUSH_TO; expected owner/name"
  if [ -z "$token" ]; then
    wrong "PUSH_TO needs a token that may write: export HF_TOKEN=... (https://huggingface.co/settings/tokens)"
    return
  fi
  ask api/whoami-v2
  [ "$code" != 401 ] || wrong "HF_TOKEN is not valid, and PUSH_TO needs one that may write (https://huggingface.co/settings/tokens)"
}

code=
read -ra variables <<<"${MODEL_VARIABLES:-MODEL}"
for model in "$@"; do
  variable=${variables[0]:-MODEL} variables=("${variables[@]:1}")
  [ -z "$model" ] || check_model "$model"
done
check_rows DATA
check_rows EVAL_DATA
[ -z "${CHAT_TEMPLATE:-}" ] || [ -f "$CHAT_TEMPLATE" ] || wrong "CHAT_TEMPLATE: $CHAT_TEMPLATE is no file; expected one with a Jinja template"
[ -z "${REPORT_TO:-}" ] || check_reports
[ -z "${PUSH_TO:-}" ] || check_push
[ "$missing" = 0 ] || exit 78
