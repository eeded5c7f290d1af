#!/bin/sh
# Builds the shell of the report's page from web/: tools/build_page.sh OUT.html. Packages come from npm, pinned by
# web/package-lock.json, into a folder beside OUT. What can not be had makes OUT empty and is told in a line: gpuplan plans
# without its page. Nothing is written into the checkout.
set -u
export LC_ALL=C.UTF-8

out=$1
root=$(CDPATH='' cd -- "$(dirname "$0")/.." && pwd -P) || exit 1
work=$(dirname "$out")/web

without() {
  printf 'gpuplan: built without the page of its report: %s\n' "$*" >&2
  : >"$out"
  touch -d @1 "$out" # older than all it is made of: the next build tries again
  exit 0
}

command -v node >/dev/null 2>&1 || without "node is not here"
command -v npm >/dev/null 2>&1 || without "npm is not here"
mkdir -p "$work" || exit 1
if ! cmp -s "$root/web/package-lock.json" "$work/package-lock.json" || [ ! -d "$work/node_modules/echarts" ]; then
  rm -rf "$work/node_modules" "$work/package-lock.json"
  cp "$root/web/package.json" "$work/package.json" || exit 1
  cp "$root/web/package-lock.json" "$work/lock" || exit 1
  mv "$work/lock" "$work/package-lock.json"
  if ! (cd "$work" && npm ci --ignore-scripts --prefer-offline --fetch-retries=1 --fetch-timeout=30000 --no-audit --no-fund --loglevel=error) >"$work/npm.log" 2>&1; then
    rm -f "$work/package-lock.json"
    without "npm could not fetch its packages ($work/npm.log)"
  fi
fi
rm -rf "$work/src"
cp -r "$root/web/src" "$root/web/build.mjs" "$root/web/shell.html" "$root/web/style.css" "$root/web/tsconfig.json" "$work" || exit 1
(cd "$work" && node build.mjs page.html) || exit 1
mv "$work/page.html" "$out"
