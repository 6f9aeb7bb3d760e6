#!/usr/bin/env bash
# restore.sh ARCHIVE TARGET: unpacks an archive into an empty folder after checking its sum.
set -euo pipefail
. "$(dirname "$0")/lib.sh"

[ $# -eq 2 ] || fail "usage: restore.sh ARCHIVE TARGET"
archive=$1
target=$2
[ -f "$archive" ] || fail "$archive is no file"
mkdir -p "$target"
[ -z "$(ls -A "$target")" ] || fail "$target is not empty"

if [ -f "$archive.sha256" ]; then
  expected=$(cut -d' ' -f1 "$archive.sha256")
  actual=$(sha256sum "$archive" | cut -d' ' -f1)
  [ "$expected" = "$actual" ] || fail "$archive is damaged"
fi
tar -xzf "$archive" -C "$target"
