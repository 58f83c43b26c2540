#!/usr/bin/env bash
# Converts recorded files to every format (a day of each kind of contract; by night every file to Parquet, CSV and Arrow), checks each, and compares what pyarrow, polars, pandas and DuckDB read with the text.
set -euo pipefail
cd "$(dirname "$0")/../.."
shared=${BACKTAPE_SHARED:-../shared} python=$(bash test/system/python/environment.sh)
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
convert() { node bin/backtape.js convert "$@" > "$work/log" 2>&1 || { cat "$work/log" >&2; exit 1; }; }
inputs=("$shared"/data/days/*.txt.zst "$shared"/data/bundles/deribit-options-2021-07-22.tar)
# Converts sources to some formats, and compares: whole "FORMAT..." SOURCE...
whole() {
  local folders=() format
  for format in $1; do
    convert "${@:2}" --to "$format" --margins keep --out "$work/whole-$format" --jobs 2 --check
    folders+=("$work/whole-$format")
  done
  "$python" test/system/readers.py "${folders[@]}" -- "${@:2}"
}
# One day of each kind of contract is enough by day, in the three usual formats; that of the swap is a small one with every kind of table, on which alone the others are read.
# By night every file is read in the three usual formats, and a busy swap day in the others too.
swap=$shared/data/days/binance_swap-BTCUSDT-2023-04-04.txt.zst
some=("$shared"/data/days/binance_{coin_swap-BTCUSD_PERP,spot-ETHUSDT}-2024-08-08.txt.zst "$swap" "$shared"/data/bundles/deribit-options-2021-07-22.tar)
if [ -z "${BACKTAPE_NIGHTLY:-}" ]; then
  whole 'parquet csv arrow' "${some[@]}"
  whole 'arrows csv.gz json jsonl jsonl.gz' "$swap"
else
  whole 'parquet csv arrow' "${inputs[@]}"
  whole 'arrows csv.gz json jsonl jsonl.gz' "${some[@]}" "$shared"/data/days/binance_swap-BTCUSDT-2024-08-08.txt.zst
fi
# Two recorded days one behind the other, from their files and from the range tar: every trade once.
for format in parquet csv; do
  convert "$shared"/data/days/binance_coin_swap-BTCUSD_PERP-2024-08-0[89].txt.zst --to "$format" --kinds trades --out "$work/days-$format"
  convert "$shared"/data/bundles/binance_swap-*.tar --to "$format" --kinds trades --out "$work/range-$format"
  "$python" test/system/readers.py --days "$work/days-$format" "$work/range-$format"
done
# The two days of the range tar are the same days as the files: their results must be the same bytes. By night the others are converted beside them.
same=("$shared"/data/days/binance_swap-BTCUSDT-2023-04-0[45].txt.zst)
[ -z "${BACKTAPE_NIGHTLY:-}" ] || same=("${inputs[@]}")
convert "${same[@]}" --to parquet --out "$work/parquet" --jobs 2
node bin/backtape.js convert "$shared"/data/bundles/binance_swap-*.tar --to parquet --out "$work/tar" > "$work/log" 2>&1 || { cat "$work/log" >&2; exit 1; }
for file in "$work"/tar/*.parquet; do cmp "$file" "$work/parquet/$(basename "$file")"; done
# The same bytes on another Node, where one is named.
if [ -n "${OTHER_NODE:-}" ]; then
  "$OTHER_NODE" bin/backtape.js convert "$shared"/data/bundles/binance_swap-*.tar --to parquet --out "$work/other" > "$work/log" 2>&1 || { cat "$work/log" >&2; exit 1; }
  for file in "$work"/tar/*.parquet; do cmp "$file" "$work/other/$(basename "$file")"; done
fi
echo "readers: recorded files in every format are read by others as their text states"
