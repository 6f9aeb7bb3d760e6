#!/usr/bin/env bash
# Shared by the scripts beside it.

fail() {
  printf '%s: %s\n' "${0##*/}" "$1" >&2
  exit 1
}

need() {
  command -v "$1" >/dev/null || fail "$1 is not installed"
}
