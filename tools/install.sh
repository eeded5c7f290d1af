#!/bin/sh
# Installs what is missing of the Debian packages in tools/packages.txt: tools/install.sh SECTION...
# All output goes to stderr, nothing is read from stdin. Exit code 0 when everything is there in the end.
set -u
export LC_ALL=C

here=$(dirname "$0")
say() { printf 'gpuplan: %s\n' "$*" >&2; }

if ! command -v dpkg-query >/dev/null 2>&1; then
  say "this is not a Debian system, so nothing is installed; what is needed stands in $here/packages.txt"
  exit 0
fi

wanted=$(awk -v sections=" $* " '
  /^\[/ { section = substr($1, 2, length($1) - 2); next }
  NF && !/^#/ && index(sections, " " section " ") && !seen[$1]++ { print $1 }' "$here/packages.txt")

# dpkg-query and not PATH: a conda or pyenv shell has a cmake or python3 of its own.
missing_packages() {
  for package in $wanted; do
    # Node's own packages bring npm along, and Debian's does not go with them.
    [ "$package" != npm ] || [ ! -x /usr/bin/npm ] || continue
    case $(dpkg-query -W -f='${Status}' "$package" 2>/dev/null) in
      "install ok installed") ;;
      *) printf '%s ' "$package" ;;
    esac
  done
}

missing=$(missing_packages)
missing=${missing% }
[ -n "$missing" ] || exit 0

install_options='-y --no-install-recommends -o DPkg::Lock::Timeout=600 -o Acquire::Retries=3 -o Dpkg::Use-Pty=0'
by_hand="apt-get update && apt-get install -y --no-install-recommends $missing"
as_root=
if [ "$(id -u)" -ne 0 ]; then
  as_root=sudo
  if ! command -v sudo >/dev/null 2>&1; then
    say "these packages are missing and there is no sudo here. As root, run:"
    printf '\n  %s\n\n' "$by_hand" >&2
    exit 1
  fi
  if [ ! -t 2 ]; then
    as_root='sudo -n'
    if ! sudo -n true >/dev/null 2>&1; then
      say "these packages are missing, and sudo wants a password but there is no terminal to ask on. Run:"
      printf '\n  sudo sh -c "%s"\n\n' "$by_hand" >&2
      exit 1
    fi
  fi
fi

log=$(mktemp) || exit 1
trap 'rm -f "$log"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

# Runs apt-get with the given arguments, again and again for ten minutes while another program holds its locks:
# DPkg::Lock::Timeout does not cover those of the package lists and the archives.
apt() {
  deadline=$(($(date +%s) + 600))
  while :; do
    # shellcheck disable=SC2086  # as_root is a command and its flag
    $as_root env DEBIAN_FRONTEND=noninteractive apt-get "$@" </dev/null >"$log" 2>&1
    code=$?
    [ "$code" -ne 0 ] || return 0
    if ! grep -qE 'Could not get lock|Unable to (acquire|lock)|is held by process' "$log"; then
      cat "$log" >&2
      return "$code"
    fi
    if [ "$(date +%s)" -ge "$deadline" ]; then
      say "apt's locks were held for ten minutes"
      return "$code"
    fi
    say "another program is installing packages; trying again in 5 s"
    sleep 5
  done
}

say "installing $(echo "$missing" | wc -w) Debian packages and what they need (a minute or so): $missing"
# One broken foreign source must not stop us: what counts is whether the packages can be had.
apt -qq update || say "apt-get update had problems; going on"

for package in $missing; do
  case $(apt-cache policy "$package" 2>/dev/null) in
    *"Candidate: (none)"* | "")
      say "Debian's package $package is not known here"
      case $package in
        *22*)
          say "clang 22 for Debian 12 comes from its security suite. Add it as root, then run this again:"
          printf '\n  echo "deb http://security.debian.org/debian-security bookworm-security main" > %s\n\n' \
            /etc/apt/sources.list.d/security.list >&2
          ;;
      esac
      exit 1
      ;;
  esac
done

# Slurm and munge are for tests that start their own: no service of a package begins to run now.
policy=/usr/sbin/policy-rc.d
kept_still=
if [ ! -e "$policy" ]; then
  # shellcheck disable=SC2086
  printf '#!/bin/sh\nexit 101\n' | $as_root tee "$policy" >/dev/null && $as_root chmod 755 "$policy" && kept_still=1
fi
# shellcheck disable=SC2086  # lists of words
apt -qq install $install_options $missing || true
# shellcheck disable=SC2086
[ -z "$kept_still" ] || $as_root rm -f "$policy"
still=$(missing_packages)
if [ -n "$still" ]; then
  say "could not install: $still"
  say "the line to try by hand, as root: $by_hand"
  exit 1
fi
