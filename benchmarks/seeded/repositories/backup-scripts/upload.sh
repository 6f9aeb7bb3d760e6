#!/usr/bin/env bash
# upload.sh ARCHIVE URL: sends an archive; the token comes from the environment.
set -euo pipefail
. "$(dirname "$0")/lib.sh"

[ $# -eq 2 ] || fail "usage: upload.sh ARCHIVE URL"
need curl
: "${BACKUP_TOKEN:?BACKUP_TOKEN is not set}"

curl --fail --silent --show-error --max-time 600 \
  --header @<(printf 'Authorization: Bearer %s\n' "$BACKUP_TOKEN") \
  --upload-file "$1" "$2"
