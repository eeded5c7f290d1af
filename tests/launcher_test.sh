#!/bin/sh
# ./gpuplan from other folders, through symbolic links, with concurrent first calls, in a copy, in a read-only checkout.
# The copies hold the real build files and a small program, so that their builds take seconds.
set -u
root=$(cd "$(dirname "$0")/.." && pwd -P)
work=$(mktemp -d) || exit 1
trap 'chmod -R u+w "$work"; rm -rf "$work"' EXIT
good=0
bad=0

check() { # NAME COMMAND...
  name=$1
  shift
  if "$@"; then
    good=$((good + 1))
    echo "ok: $name"
  else
    bad=$((bad + 1))
    echo "FAILED: $name"
    [ ! -f "$work/err" ] || tail -n 20 "$work/err"
  fi
}

is_version() { grep -qE '^gpuplan [0-9]+\.[0-9]+\.[0-9]+' "$1"; }

# The built checkout, called in several ways. stdout holds the program's words only.
from_elsewhere() { (cd / && "$root/gpuplan" --version >"$work/out" 2>"$work/err") && is_version "$work/out"; }
check "called from another folder" from_elsewhere
through_link() {
  ln -s "$root/gpuplan" "$work/link" && ln -s link "$work/link2"
  (cd "$work" && ./link2 --version >out 2>err) && is_version "$work/out"
}
check "called through symbolic links" through_link
speaks_little() { [ ! -s "$work/err" ]; }
check "a fresh build says nothing on stderr" speaks_little
exit_code() {
  "$root/gpuplan" --no-such-flag >"$work/out" 2>"$work/err"
  [ $? -eq 2 ] && [ ! -s "$work/out" ]
}
check "the program's exit code comes through" exit_code

# A copy in a folder with a blank in its name, holding the cache of another folder's build: two first calls at once, in a
# shell whose compiler settings would break the build.
copy="$work/a copy"
mkdir "$copy"
(
  cd "$root" && tar -cf - gpuplan CMakeLists.txt CMakePresets.json cmake data tools src/base/math.* src/base/random.h \
    src/input/text/embedded_* src/input/text/gunzip.* tests/self_check
) | tar -xf - -C "$copy"
# A library needs a file, and a precompiled header what is in it.
for stub in input/question/stub.cpp output/stub.cpp store/stub.cpp base/text.h domain/facts/catalogue.h plan/answer/plan.h \
  output/words/plan_words.h; do
  mkdir -p "$copy/src/${stub%/*}"
  : >"$copy/src/$stub"
done
mkdir "$copy/src/cli" "$copy/web" # no page: Node and npm would take longer than all else
cat >"$copy/src/cli/main.cpp" <<'END'
int run();
int main() { return run(); }
END
cat >"$copy/src/cli/run.cpp" <<'END'
#include <cstdio>
#include "input/text/embedded_data.h"
int run() { return gpuplan::embedded_data("gpus.csv").empty() || std::puts("gpuplan " GPUPLAN_VERSION) < 0; }
END
cat >"$copy/tools/pack_facts/main.cpp" <<'END'
#include <cstdio>
int main(int, char** words) { return std::fopen(words[1], "w") == nullptr; }
END
mkdir -p "$copy/build/release"
cp "$root/build/release/CMakeCache.txt" "$copy/build/release/"
first_calls() {
  (
    export CC=/bin/false CXX=/bin/false CXXFLAGS=--nonsense CMAKE_PREFIX_PATH=/nowhere
    cd "$work" || exit 1
    "$copy/gpuplan" --version >out1 2>err1 &
    first=$!
    "$copy/gpuplan" --version >out2 2>err
    code=$?
    wait $first && [ $code -eq 0 ]
  ) && is_version "$work/out1" && is_version "$work/out2" && cmp -s "$work/out1" "$work/out2" &&
    [ "$(cat "$work/err1" "$work/err" | grep -c 'building (only')" -eq 1 ]
}
check "two first calls at once build once" first_calls
rebuild() {
  touch "$copy/data/gpus.csv" && "$copy/gpuplan" --version >"$work/out" 2>"$work/err" &&
    grep -q 'building' "$work/err" && is_version "$work/out"
}
check "a changed data file means a new build" rebuild
broken() {
  echo 'this is no C++' >"$copy/src/cli/broken.cpp"
  "$copy/gpuplan" --version >"$work/out" 2>"$work/err"
  code=$?
  rm "$copy/src/cli/broken.cpp"
  [ $code -eq 1 ] && [ ! -s "$work/out" ] && grep -q 'the build failed' "$work/err"
}
check "a build that fails gives exit code 1 and nothing on stdout" broken
recovers() { "$copy/gpuplan" --version >"$work/out" 2>"$work/err" && is_version "$work/out"; }
check "and the next call builds again" recovers

# A checkout that belongs to somebody else. Root may write everywhere, so the call is made as nobody there.
read_only() {
  rm -rf "$copy/build"
  chmod -R a+rX "$work"
  mkdir "$work/home" && chmod -R a-w "$copy"
  if [ "$(id -u)" -eq 0 ]; then
    chown nobody "$work/home"
    setpriv --reuid=nobody --clear-groups env -u XDG_CACHE_HOME HOME="$work/home" "$copy/gpuplan" --version
  else
    env -u XDG_CACHE_HOME HOME="$work/home" "$copy/gpuplan" --version
  fi >"$work/out" 2>"$work/err" && is_version "$work/out" && [ -d "$work/home/.cache/gpuplan" ] && [ ! -e "$copy/build" ]
}
check "a read-only checkout is built in the user's cache" read_only

echo "counted $good $bad"
[ "$bad" -eq 0 ]
