#!/usr/bin/env bash
# Prints the path of a Python that has packages.txt: one environment for every system test, made by the first that asks while others wait for it.
set -euo pipefail
cd "$(dirname "$0")/../../.."
packages=test/system/python/packages.txt cache=$(realpath -m "${PYTHON_CACHE:-.cache/python}")
mkdir -p "$cache"
exec 9> "$cache/lock"
flock 9
cmp -s "$packages" "$cache/installed.txt" || {
  rm -rf "$cache/venv"
  python3 -m venv "$cache/venv"
  "$cache/venv/bin/pip" install -q --disable-pip-version-check --no-compile -r "$packages"
  cp "$packages" "$cache/installed.txt"
} >&2
echo "$cache/venv/bin/python"
