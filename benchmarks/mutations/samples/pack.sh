#!/usr/bin/env bash
set -euo pipefail

folder="${1:-.}"

for file in "$folder"/*.txt; do
  if [ -f "$file" ]; then
    gzip -k "$file"
  fi
done
