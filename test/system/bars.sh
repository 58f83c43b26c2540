#!/usr/bin/env bash
# Bars of recorded days against polars over the trades tables of the same days, and indicators over them against TA-Lib. A day takes the
# inverse contract; the night a swap and spot too.
set -euo pipefail
cd "$(dirname "$0")/../.."
shared=${BACKTAPE_SHARED:-../shared} python=$(bash test/system/python/environment.sh)
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
compare() {
  local day=$1 code=$2; shift 2
  node bin/backtape.js convert "$shared/data/days/$day.txt.zst" --kinds trades --to parquet --out "$work" > "$work/log" 2>&1 || { cat "$work/log" >&2; exit 1; }
  node test/system/bars/tape.mjs "$shared/data/days/$day.txt.zst" "$code" > "$work/$day.jsonl"
  "$python" test/system/bars/compare.py "$work/$day.trades.parquet" "$work/$day.jsonl" "$@"
}
compare binance_coin_swap-BTCUSD_PERP-2024-08-08 BTCUSD_PERP 100
[ -n "${BACKTAPE_NIGHTLY:-}" ] || exit 0
compare binance_swap-BTCUSDT-2024-08-08 BTCUSDT
compare binance_spot-ETHUSDT-2024-08-08 ETHUSDT
