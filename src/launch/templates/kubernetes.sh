# shellcheck shell=bash
# What kubernetes/submit.sh does; it exports marks, the name of a ConfigMap.
# shellcheck disable=SC2154  # marks

# The pods learn what was done on this machine or by hand: runs/PHASE/done and runs/PHASE/prepared.
tell_marks() {
  local all=() file
  for file in runs/*/done runs/*/prepared; do
    [ ! -e "$file" ] || all+=("--from-literal=$(basename "$(dirname "$file")").$(basename "$file")=")
  done
  [ "${#all[@]}" -gt 0 ] || return 0
  kubectl create configmap "$marks" "${all[@]}" --dry-run=client -o yaml | kubectl apply -f -
}

# check_queue NAME: jobs that wait for a queue that nobody reads would wait for ever. What may not be asked is let alone.
check_queue() {
  local said files='kubernetes/*.yaml'
  said=$(kubectl get localqueues.kueue.x-k8s.io "$1" 2>&1) && return 0
  case $said in
    *"have a resource type"* | *"could not find the requested resource"*)
      said="this cluster has no Kueue, which the jobs wait for: set suspend to false in $files and take out their queue-name, or install Kueue"
      ;;
    *"(NotFound)"*) said="there is no queue $1 (LocalQueue of Kueue) in this namespace: name yours by market.pools in the job, or in $files" ;;
    *) return 0 ;;
  esac
  printf '%s\n' "$said" >&2
  exit 78
}

# start KIND NAME FILE
start() {
  tell_marks
  kubectl get "$1" "$2" >/dev/null 2>&1 || kubectl create -f "$3"
}

# ended KIND NAME: waits; what needs it does not start when it failed.
ended() {
  local states
  while :; do
    states=$(kubectl get "$1" "$2" -o 'jsonpath={.status.conditions[?(@.status=="True")].type}')
    case " $states " in
      *" Complete "* | *" Completed "*) return 0 ;;
      *" Failed "*)
        printf '%s %s failed: what needs it does not start. When it is mended: kubectl delete %s %s, and start again\n' \
          "$1" "$2" "$1" "$2" >&2
        exit 1
        ;;
    esac
    sleep "${GPUPLAN_POLL:-30}"
  done
}
