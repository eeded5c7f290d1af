#!/bin/sh
# tests/fuzz.sh NAME SECONDS LOGS: one fuzzer of build/asan over its seeds, then over inputs of its own. Lines of
# fuzz/NAME.cpp like "// seeds: examples/*.yaml" name the seeds; new finds are kept in build/corpus.
set -u
name=$1
seconds=$2
log=$3/fuzz-$name.log
corpus=build/corpus/$name
seeds=build/seeds/$name
rm -rf "$seeds"
mkdir -p "$corpus" "$seeds"
sed -n 's|^// seeds: ||p' "fuzz/$name.cpp" | while read -r pattern; do
  for file in $pattern; do # unquoted: the shell expands the pattern
    [ ! -f "$file" ] || cp "$file" "$seeds/"
  done
done
if "build/asan/$name" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 -max_len=65536 -print_final_stats=1 \
  -artifact_prefix="build/crash-$name-" "$corpus" "$seeds" >"$log" 2>&1; then
  printf '%s: %s runs\n' "$name" "$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")"
  echo "counted 1 0"
else
  tail -n 60 "$log"
  echo "$name: failed; the input is build/crash-$name-*"
  echo "counted 0 1"
  exit 1
fi
