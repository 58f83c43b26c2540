#!/usr/bin/env bash
# Statistics of daily returns against quantstats and empyrical-reloaded; round trips, hours and days of recorded days against polars.
# A day takes the tables of the linear run; the night takes those of the inverse one and of spot too.
set -euo pipefail
cd "$(dirname "$0")/../.."
shared=${BACKTAPE_SHARED:-../shared} python=$(bash test/system/python/environment.sh)
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
node test/system/statistics/series.mjs > "$work/series.jsonl"
"$python" test/system/statistics/ratios.py "$work/series.jsonl"
compare() {
  local name=$1 formats=csv,parquet,arrow; shift
  node test/system/statistics/taker-run.mjs "$work/$name" "$formats" "$@"
  "$python" test/system/statistics/trips.py "$work/$name"
}
compare linear BTCUSDT 0.003 "$shared"/data/days/binance_swap-BTCUSDT-2024-07-1[89].txt.zst
[ -z "${BACKTAPE_NIGHTLY:-}" ] || compare inverse BTCUSD_PERP 7 "$shared"/data/days/binance_coin_swap-BTCUSD_PERP-2024-08-0[89].txt.zst
[ -z "${BACKTAPE_NIGHTLY:-}" ] || compare spot ETHUSDT 0.02 "$shared"/data/days/binance_spot-ETHUSDT-2024-08-0[89].txt.zst
