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
