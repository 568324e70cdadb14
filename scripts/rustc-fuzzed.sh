#!/usr/bin/env bash
# Called by cargo in place of the compiler $1: adds FUZZ_FLAGS for the crates of FUZZED when they are built to run here.
set -euo pipefail
compiler=$1
shift
name='' named=0 target=0
for argument in "$@"; do
  if [ "$named" = 1 ]; then name=$argument named=0; fi
  case $argument in
  --crate-name) named=1 ;;
  --target | --target=*) target=1 ;;
  esac
done
if [ "$target" = 1 ] && [[ " $FUZZED " == *" $name "* ]]; then
  # shellcheck disable=SC2086 # Several flags.
  exec "$compiler" "$@" $FUZZ_FLAGS
fi
exec "$compiler" "$@"
