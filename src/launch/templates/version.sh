#!/bin/bash
# Whether a program has the options that the scripts use, before its work begins: version.sh NAME VERSION FROM BEFORE
set -u
name=$1 version=$2 from=$3 before=$4
older() { [ "$1" != "$2" ] && [ "$(printf '%s\n' "$1" "$2" | sort -V | head -n 1)" = "$1" ]; }
if [ -z "$version" ]; then
  echo "$name: its version cannot be found; these scripts are for ${from:+$from and later, }before $before"
elif [ -n "$from" ] && older "$version" "$from"; then
  echo "$name $version lacks options that these scripts use: expected $from or later; update it" >&2
  exit 78
elif ! older "$version" "$before"; then
  echo "$name $version is newer than what these scripts were checked for (before $before): options may have changed"
fi
