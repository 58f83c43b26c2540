#!/bin/sh
# What CI runs: types, tests, and every run against its golden.
set -eu
cd "$(dirname "$0")"
if [ -d node_modules ]; then :; elif [ -f package-lock.json ]; then npm ci; else npm install; fi
npm run check
npm test
npm run verify
