
# RunPod. runpod/rent.sh sets besides: image, volume and disk (GB), gpu, gpus, cloud,
# cuda (the image's; drivers of older machines do not run it).

# The provider ends the pod then, whatever happens to the job and to this machine: an hour to start and to fetch.
terminate_after() {
  local seconds=$((limit + 3600))
  date -u -d "+$seconds seconds" +%Y-%m-%dT%H:%M:%SZ 2>/dev/null || date -u -v "+${seconds}S" +%Y-%m-%dT%H:%M:%SZ
}

create() {
  local more=()
  [ -z "$cuda" ] || more+=(--min-cuda-version "$cuda")
  # ssh needs one; machines of the secure cloud always have it.
  [ "$cloud" != COMMUNITY ] || more+=(--public-ip)
  "$@" runpodctl pod create --name "$name" --image "$image" --gpu-id "$gpu" --gpu-count "$gpus" --cloud-type "$cloud" \
    --volume-in-gb "$volume" --container-disk-in-gb "$disk" --ports 22/tcp --terminate-after "$(terminate_after)" \
    "${more[@]}"
}

print_quoted() {
  printf '%q ' "$@"
  printf '\n'
}

steps() {
  say "Nothing is rented before you say: bash $self rent. It would run:"
  create print_quoted
  printf '\n# What there is; prices are on the web page only:\nrunpodctl gpu list\n'
  printf '\n# Then:\n'
  printf 'bash %s rent             # rents it; runpodctl pod get POD tells HOST and PORT of ssh\n' "$self"
  printf 'bash %s start HOST PORT  # copies this folder, starts it\n' "$self"
  printf 'bash %s log HOST PORT    # what it prints\n' "$self"
  printf 'bash %s fetch HOST PORT  # fetches runs/\n' "$self"
  printf 'runpodctl pod delete POD         # gives it back: until then its disk costs money\n'
}

is_address() {
  [[ ${2:-} =~ ^[0-9.a-zA-Z:-]+$ && ${2:-} != -* && ${3:-} =~ ^[0-9]+$ ]] ||
    stop "expected an address and a port, as in: bash $self $1 203.0.113.7 12345"
  host=$2
  port=$3
}

case ${1:-} in
  "") steps ;;
  rent) check_required && bash "$kind/versions.sh" && create ;;
  start) is_address "$@" && check_required && start_again ;;
  log) is_address "$@" && follow ;;
  fetch) is_address "$@" && fetch ;;
  *) stop "expected nothing, rent, start HOST PORT, log HOST PORT or fetch HOST PORT" ;;
esac
