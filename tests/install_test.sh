#!/bin/sh
# What `cmake --install` and cpack make of build/release: another program builds against it, and the package runs.
#   tests/install_test.sh
# Prints "counted PASSED FAILED" last, for ./test.
set -u
cd "$(dirname "$0")/.." || exit 1
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
passed=0
failed=0
check() { # WHAT COMMAND...
  what=$1
  shift
  if "$@" >"$work/said" 2>&1; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    echo "$what: failed"
    tail -n 30 "$work/said"
  fi
}

check "cmake --install" cmake --install build/release --prefix "$work/usr"
check "the example finds the library" cmake -S examples/cpp -B "$work/example" "-DCMAKE_PREFIX_PATH=$work/usr"
check "the example builds" cmake --build "$work/example"

cheapest() {
  "$work/example/cheapest" examples/collection.yaml >"$work/plans" &&
    grep -q 'Recommended: ' "$work/plans" && grep -q '\$.* to ' "$work/plans" && ! grep -q nan "$work/plans"
}
check "a C++ program plans" cheapest

# The library, the C function and the program pick the same plan.
same_pick() {
  GPUPLAN_TODAY=2026-11-22 build/release/gpuplan plan examples/collection.yaml --json >"$work/plan.json" &&
    python3 - "$work" <<'END'
import json, subprocess, sys
work = sys.argv[1]
question = {"ask": "plan", "job": open("examples/collection.yaml").read(), "name": "examples/collection.yaml",
            "today": "2026-11-22"}
said = subprocess.run([work + "/example/ask"], input=json.dumps(question), capture_output=True, text=True, check=True)
# What the command line calls the question is all that differs.
text = said.stdout.replace("gpuplan plan JOB", "gpuplan plan examples/collection.yaml")
answer, plan = json.loads(text), json.load(open(work + "/plan.json"))
for document in (answer["answer"], plan):
    del document["elapsed_ms"]
assert answer["outcome"] == "found", answer["outcome"]
assert answer["answer"] == plan, "the answers differ"
END
}
check "a C program asks in JSON and gets what the program prints" same_pick

wrong() {
  printf 'phases:\n  - trian: {}\n' >"$work/wrong.yaml"
  "$work/example/cheapest" "$work/wrong.yaml" 2>"$work/error"
  [ $? -eq 5 ] && grep -q 'wrong.yaml:2: ' "$work/error" && [ "$(wc -l <"$work/error")" -eq 1 ]
}
check "wrong input is one line with its place" wrong

package() { (cd "$work" && cpack --config "$OLDPWD/build/release/CPackConfig.cmake" -G DEB); }
check "cpack -G DEB" package
contents() {
  dpkg-deb -c "$work"/gpuplan_*.deb >"$work/contents" &&
    for file in bin/gpuplan share/man/man1/gpuplan.1 share/man/man1/gpuplan-plan.1 \
      share/bash-completion/completions/gpuplan share/zsh/site-functions/_gpuplan \
      share/fish/vendor_completions.d/gpuplan.fish; do
      grep -q " ./usr/$file\$" "$work/contents" || { echo "no $file"; return 1; }
    done
}
check "the package holds program, manual and completions" contents
depends() { [ "$(dpkg-deb -f "$work"/gpuplan_*.deb Depends | sed 's/ *([^)]*)//g')" = libc6 ]; }
check "the package needs nothing but the C library" depends
runs() {
  mkdir "$work/root" && dpkg-deb -x "$work"/gpuplan_*.deb "$work/root" &&
    env -i HOME="$work" "$work/root/usr/bin/gpuplan" plan examples/collection.yaml >"$work/packaged" &&
    build/release/gpuplan plan examples/collection.yaml >"$work/built" && cmp "$work/packaged" "$work/built"
}
check "the packaged program runs" runs

echo "counted $passed $failed"
[ "$failed" -eq 0 ]
