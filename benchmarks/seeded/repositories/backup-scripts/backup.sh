#!/usr/bin/env bash
# backup.sh SOURCE TARGET: packs a folder into TARGET/NAME-DATE.tar.gz, whole or not at all.
set -euo pipefail
. "$(dirname "$0")/lib.sh"

[ $# -eq 2 ] || fail "usage: backup.sh SOURCE TARGET"
source_dir=$1
target_dir=$2
[ -d "$source_dir" ] || fail "$source_dir is no folder"
need tar

umask 077
stamp=$(date -u +%Y%m%dT%H%M%SZ)
name=$(basename "$source_dir")
part=$(mktemp "$target_dir/.part-XXXXXX")
trap 'rm -f "$part"' EXIT

tar -czf "$part" -C "$source_dir" .
mv "$part" "$target_dir/$name-$stamp.tar.gz"
