#!/usr/bin/env bash
# rotate.sh TARGET KEEP: removes all archives of a folder but the newest KEEP.
set -euo pipefail
. "$(dirname "$0")/lib.sh"

[ $# -eq 2 ] || fail "usage: rotate.sh TARGET KEEP"
target=$1
keep=$2
[ -d "$target" ] || fail "$target is no folder"
[[ $keep =~ ^[1-9][0-9]*$ ]] || fail "KEEP must be a number from 1 on"

find "$target" -maxdepth 1 -name '*.tar.gz' -printf '%T@ %p\n' |
  sort -rn |
  tail -n +"$((keep + 1))" |
  cut -d' ' -f2- |
  while IFS= read -r archive; do
    rm -- "$archive"
  done
