#!/usr/bin/env bash
# Market measures of recorded days against numpy over the Parquet of the same days, by their definitions. The busy day is of the night.
set -euo pipefail
cd "$(dirname "$0")/../.."
shared=${BACKTAPE_SHARED:-../shared} python=$(bash test/system/python/environment.sh)
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
compare() {
  local source=$1 name=$2 script=$3
  node bin/backtape.js convert "$source" --to parquet --out "$work/$name" > "$work/log" 2>&1 || { cat "$work/log" >&2; exit 1; }
  [ "$script" = surface ] || node bin/backtape.js book "$source" --every 5s --levels 60 --out "$work/$name/book.parquet" 2> /dev/null
  node "test/system/measures/$script.mjs" "$source" > "$work/$name.json"
  "$python" "test/system/measures/$script.py" "$work/$name" "$work/$name.json"
}
compare "$shared/data/days/binance_swap-BTCUSDT-2023-04-05.txt.zst" linear day
[ -z "${BACKTAPE_NIGHTLY:-}" ] || compare "$shared/data/days/binance_swap-BTCUSDT-2024-08-08.txt.zst" busy day
compare "$shared/data/bundles/deribit-options-2021-07-22.tar" options surface
