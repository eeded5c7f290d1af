
# Vast.ai. vast/rent.sh sets besides: image, disk (GB), most (dollars an hour, empty: no limit), bid (dollars an hour,
# empty: on demand).

steps() {
  local i
  say "Nothing is rented without the id of an offer. Search, best first:"
  for ((i = 0; i < ${#searches[@]}; i += 2)); do
    printf '\n# %s\n%s\n' "${searches[i]}" "${searches[i + 1]}"
  done
  printf '\n# Then, with the ID of an offer of the first search:\n'
  printf 'bash %s rent ID       # rents it, copies this folder, starts it\n' "$self"
  printf 'bash %s log INSTANCE  # what it prints\n' "$self"
  printf 'bash %s start INSTANCE  # starts it again: after a step by hand, or when it was stopped\n' "$self"
  printf 'bash %s end INSTANCE  # fetches runs/ and destroys the machine: until then its disk costs money\n' "$self"
}

field() { python3 -c 'import json, sys
value = json.load(sys.stdin)
value = value[0] if isinstance(value, list) and value else value
print(value.get(sys.argv[1], "") if isinstance(value, dict) else "")' "$1"; }

# The price is looked at again: offers change.
check_price() {
  local offer=$1 price kind_of=on-demand column=dph_total
  if [ -n "$bid" ]; then
    kind_of=bid
    column=min_bid
  fi
  price=$(vastai search offers "id=$offer" --type "$kind_of" --storage "$disk" --raw | field "$column")
  [ -n "$price" ] || stop "there is no offer $offer (any more)"
  [ -z "$most" ] || awk -v p="$price" -v m="$most" 'BEGIN { exit !(p <= m) }' ||
    stop "offer $offer costs \$$price an hour, more than the $most that the plan allows; to take it all the same: MOST=$price"
  say "offer $offer: \$$price an hour"
}

# Runs whenever the machine is switched on. Switched off by itself, whatever happens to the job and to this machine: the
# time that it was on is kept in a file, since somebody who bids more may take it for a while. What was cut off so goes
# on; what has ended (runs/exit-code) does not, so that its runs can be fetched: half an hour for that.
on_start() {
  # shellcheck disable=SC2016  # for the machine's shell
  printf '%s' 'env | grep "^CONTAINER_" >/root/machine.env; (now=0; while :; do on=$(cat /root/seconds-on);' \
    ' [ "${on:-0}" -ge '"$((limit + 1800))"' ] && [ "$now" -ge 1800 ] && break;' \
    ' sleep 60; now=$((now + 60)); echo "$((${on:-0} + 60))" >/root/seconds-on; done; pip install -q vastai;' \
    ' vastai stop instance "$CONTAINER_ID" --api-key "$CONTAINER_API_KEY") >/root/guard.txt 2>&1 &' \
    ' cd /workspace/'"$name"' && [ -f variables.sh ] && [ ! -f runs/exit-code ] &&' \
    ' nohup bash '"$kind/on_machine.sh $group $limit $grace"' >>on_machine.txt 2>&1 </dev/null &'
}

connect() {
  local url
  url=$(vastai ssh-url "$1")
  url=${url#ssh://}
  host=${url%:*}
  host=${host#*@}
  port=${url##*:}
}

rent() {
  local offer=$1 instance options=()
  check_required
  bash "$kind/versions.sh"
  check_price "$offer"
  [ -z "$bid" ] || options+=(--bid_price "$bid")
  instance=$(vastai create instance "$offer" --image "$image" --disk "$disk" --ssh --direct --onstart-cmd "$(on_start)" \
    --cancel-unavail "${options[@]+"${options[@]}"}" --raw | field new_contract)
  [ -n "$instance" ] || stop "offer $offer was not rented"
  say "instance $instance is rented: it costs money from now on"
  reach "$instance"
  send_and_start
  say "started. Next: bash $self log $instance, and in the end: bash $self end $instance"
}

# Waits until it is on and answers.
reach() {
  local instance=$1 waited=0
  until [ "$(vastai show instance "$instance" --raw | field actual_status)" = running ]; do
    waited=$((waited + 15))
    [ "$waited" -le "${PATIENCE:-1200}" ] ||
      stop "instance $instance does not start; to give it back: vastai destroy instance $instance"
    sleep "${GPUPLAN_POLL:-15}"
  done
  connect "$instance"
  until remote true 2>/dev/null; do
    waited=$((waited + 15))
    [ "$waited" -le "${PATIENCE:-1200}" ] ||
      stop "instance $instance does not answer; to give it back: vastai destroy instance $instance"
    sleep "${GPUPLAN_POLL:-15}"
  done
}

# Again, on the machine as it is: what is done there is passed over. It has the whole time once more.
again() {
  check_required
  [ "$(vastai show instance "$1" --raw | field actual_status)" = running ] || vastai start instance "$1"
  reach "$1"
  remote "rm -f /root/seconds-on"
  start_again
  say "started. Next: bash $self log $1, and in the end: bash $self end $1"
}

end() {
  # What is switched off has its disk still, and has to be on to be read.
  [ "$(vastai show instance "$1" --raw | field actual_status)" = running ] || {
    vastai start instance "$1"
    sleep "${GPUPLAN_POLL:-15}"
    until [ "$(vastai show instance "$1" --raw | field actual_status)" = running ]; do sleep "${GPUPLAN_POLL:-15}"; done
  }
  connect "$1"
  fetch
  vastai destroy instance "$1"
}

is_id() { [[ ${1:-} =~ ^[0-9]+$ ]] || stop "expected the number that vastai shows, as in: bash $self ${2:-rent} 12345678"; }

case ${1:-} in
  "") steps ;;
  rent) is_id "${2:-}" rent && rent "$2" ;;
  log) is_id "${2:-}" log && connect "$2" && follow ;;
  fetch) is_id "${2:-}" fetch && connect "$2" && fetch ;;
  start) is_id "${2:-}" start && again "$2" ;;
  end) is_id "${2:-}" end && end "$2" ;;
  *) stop "expected nothing, rent ID, start INSTANCE, log INSTANCE, fetch INSTANCE or end INSTANCE" ;;
esac
