#!/bin/sh
# tests/ends_well.sh "CODES" PROGRAM ARGUMENT...: what the program prints does not matter here, only that it ends within a
# minute and with one of the exit codes that it means. The last line counts one test.
set -u
codes=$1
shift
said=$(mktemp) || exit 1
trap 'rm -f "$said"' EXIT
timeout 60 "$@" >"$said" 2>&1
code=$?
case " $codes " in
  *" $code "*) echo "counted 1 0" ;;
  *)
    echo "FAILED with exit code $code: $*"
    tail -n 40 "$said"
    echo "counted 0 1"
    exit 1
    ;;
esac
