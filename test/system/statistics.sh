#!/usr/bin/env bash
# Statistics of daily returns against quantstats and empyrical-reloaded; round trips, hours and days of recorded days against polars.
set -euo pipefail
cd "$(dirname "$0")/../.."
shared=${BACKTAPE_SHARED:-../shared}; cache=${STATISTICS_CACHE:-.cache/statistics}; mkdir -p "$cache"
[ -f "$cache/ok-1" ] || { python3 -m venv "$cache/venv" && "$cache/venv/bin/pip" install -q --disable-pip-version-check quantstats==0.0.86 empyrical-reloaded==0.5.12 polars==2.1.0 && touch "$cache/ok-1"; }
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
node test/system/statistics/series.mjs > "$work/series.jsonl"
"$cache/venv/bin/python" test/system/statistics/ratios.py "$work/series.jsonl"
compare() {
  local name=$1; shift
  node test/system/statistics/taker-run.mjs "$work/$name" "$@"
  "$cache/venv/bin/python" test/system/statistics/trips.py "$work/$name"
}
compare linear BTCUSDT 0.003 "$shared"/data/days/binance_swap-BTCUSDT-2024-07-1[89].txt.zst
compare inverse BTCUSD_PERP 7 "$shared"/data/days/binance_coin_swap-BTCUSD_PERP-2024-08-0[89].txt.zst
compare spot ETHUSDT 0.02 "$shared"/data/days/binance_spot-ETHUSDT-2024-08-0[89].txt.zst
