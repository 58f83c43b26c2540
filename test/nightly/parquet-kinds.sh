#!/usr/bin/env bash
# Every kind of table that is written as Parquet, read by us, hyparquet, parquet-wasm, pyarrow, polars and DuckDB: each column has the same values, by the digest of their exact texts.
set -euo pipefail
cd "$(dirname "$0")/../.."
shared=${BACKTAPE_SHARED:-../shared} python=$(bash test/system/python/environment.sh)
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
export BACKTAPE_CACHE="$work/cache"
run() { node bin/backtape.js "$@" > "$work/log" 2>&1 || { cat "$work/log" >&2; exit 1; }; }
# Recorded days of a swap and of options, made-up ones of the kinds that those lack; minutes, books, and the tables of a run.
for source in "$shared"/data/days/binance_swap-BTCUSDT-2023-04-04.txt.zst "$shared"/data/bundles/deribit-options-2021-07-22.tar datasets/synthetic_swap-XRPUSDT-2026-07-01.txt.zst datasets/synthetic_coin_swap-ETHUSD-2026-07-01.txt.zst; do
  run convert "$source" --to parquet --margins keep --out "$work/tables"
done
run minutes datasets/synthetic_swap-XRPUSDT-2026-07-01.txt.zst --out "$work/tables/made.minutes.parquet"
run book datasets/synthetic_swap-XRPUSDT-2026-07-01.txt.zst --every 10s --levels 20 --out "$work/tables/made.book.parquet"
run backtest examples/flow-taker/flow-taker.run.json --out "$work/tables" --to parquet --no-record
node test/system/parquet-kinds/digests.mjs "$work"/tables/*.parquet > "$work/ours.json"
"$python" test/system/parquet-kinds/digests.py "$work/ours.json" > "$work/theirs.json"
node test/system/parquet-kinds/compare.mjs "$work/ours.json" "$work/theirs.json"
